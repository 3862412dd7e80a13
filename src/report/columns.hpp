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
// How many sessions; "open" where they come as they come.
std::string sessions_cell(const Step& step);

// The standard deviation of a step over the repeats; nothing where it was measured once or not at all.
std::optional<double> spread_of(const Arm& arm, std::size_t step, const Column& column);
// "±" and that, with the column's decimals; "" without one.
std::string spread_cell(const Arm& arm, std::size_t step, const Column& column);
bool has_spread(const Report& report);
inline constexpr std::string_view spread_meaning = "±: the standard deviation over the runs";

}  // namespace lmw::report
