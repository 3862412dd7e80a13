// A report as text: for a terminal, Markdown and CSV. All columns, a row for each step of each arm.
#pragma once

#include <string>

#include "report/report.hpp"

namespace lmw::report {

// Columns that are 0 throughout are left out.
std::string to_table(const Report& report);
std::string to_markdown(const Report& report);
// One header line, then a line for each row; a field that was not measured is empty.
std::string to_csv(const Report& report);

}  // namespace lmw::report
