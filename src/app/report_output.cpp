#include "app/report_output.hpp"

#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "report/file.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/tables.hpp"

namespace lmw::app {

void add_report_output(CLI::App& command, ReportOutput& output) {
  command.add_option("--json", output.json, "write the results as JSON; - is standard output");
  command.add_option("--csv", output.csv, "… as CSV");
  command.add_option("--markdown", output.markdown, "… as a Markdown table");
  command.add_option("--html", output.html, "… as one page with figures");
}

bool write_report(const ReportOutput& output, const report::Report& report) {
  bool good = true;
  const auto write = [&](const std::string& path, std::string (*format)(const report::Report&)) {
    if (path.empty()) return;
    const auto written = report::write_file(path, format(report));
    if (written) return;
    fmt::print(stderr, "lmwarden: {}\n", written.error().message);
    good = false;
  };
  write(output.json, report::to_json);
  write(output.csv, report::to_csv);
  write(output.markdown, report::to_markdown);
  write(output.html, report::to_html);
  return good;
}

std::vector<std::string> ReportOutput::files() const {
  std::vector<std::string> given{json, csv, markdown, html};
  std::erase(given, "");
  return given;
}

bool takes_stdout(const ReportOutput& output) {
  const auto files = output.files();
  return std::ranges::find(files, "-") != files.end();
}

void warn_of_empty_steps(const report::Report& report) {
  for (const auto& arm : report.arms) {
    for (const auto& step : arm.steps) {
      if (step.turns.value_or(0) > 0) continue;
      fmt::print(stderr, "{}: no turn ended in the step of {} sessions\n", arm.name, step.sessions);
    }
  }
}

}  // namespace lmw::app
