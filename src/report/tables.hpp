// A report as text: for a terminal, Markdown and CSV. A row for each step of each arm.
#pragma once

#include <string>

#include "report/report.hpp"

namespace lmw::report {

// Columns that are 0 throughout are left out. Where runs were repeated a cell has their mean and its spread;
// in the table only those of the main columns, and p99 and turn95 make room for them.
std::string to_table(const Report& report);
std::string to_markdown(const Report& report);
// One header line, then a line for each row; a field that was not measured is empty. Where runs were
// repeated the spread of each FIELD is the column FIELD_sd, after all others.
std::string to_csv(const Report& report);

}  // namespace lmw::report
