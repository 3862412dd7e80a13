// The columns of a report, in order: the one list that tables, CSV, JSON and figures are made of.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/report.hpp"

namespace lmw::report {

struct Column {
  std::string_view field;  // in JSON and CSV: snake_case, with its unit
  std::string_view title;  // in tables, short
  std::string_view what;
  int decimals = 0;
  std::optional<double> Step::* value = nullptr;
};

std::span<const Column> columns();
// Null when there is none of that field.
const Column* find_column(std::string_view field);

// With the column's decimals; "n/a" where nothing was measured.
std::string cell(const Column& column, const std::optional<double>& value);

}  // namespace lmw::report
