// Where a command's report goes: flags and files, the same for all that measure.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace CLI {
class App;
}

namespace lmw::app {

// Files; "" = none, "-" = standard output.
struct ReportOutput {
  std::string json, csv, markdown, html;

  std::vector<std::string> files() const;  // those that were asked for
};

void add_report_output(CLI::App& command, ReportOutput& output);

// Writes all files that were asked for. False when one can't be written, which it says on standard error.
bool write_report(const ReportOutput& output, const report::Report& report);

// Whether standard output is taken by a file, so that no table may go there.
bool takes_stdout(const ReportOutput& output);

// On standard error, which steps saw no turn end.
void warn_of_empty_steps(const report::Report& report);

}  // namespace lmw::app
