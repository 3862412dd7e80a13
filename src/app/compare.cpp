#include "app/compare.hpp"

#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "report/compare.hpp"
#include "report/json.hpp"

namespace lmw::app {

namespace {

struct CompareOptions {
  std::string before, after;
};

Result<report::Report> read_report(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return failure(fmt::format("can't read {}", path));
  auto report = report::from_json(text);
  if (!report) return failure(fmt::format("{}: {}", path, report.error().message));
  return report;
}

Result<std::string> compare_files(const CompareOptions& options) {
  const auto before = read_report(options.before);
  if (!before) return std::unexpected(before.error());
  const auto after = read_report(options.after);
  if (!after) return std::unexpected(after.error());
  return report::compare(*before, *after);
}

}  // namespace

void add_compare(CLI::App& bench, int& status) {
  auto options = std::make_shared<CompareOptions>();  // lives as long as the parser that fills it
  auto* compare = bench.add_subcommand("compare", "Say what changed from one JSON report to another");
  compare->add_option("before", options->before, "of `bench`, `lab` or `demo`, with --json")->required();
  compare->add_option("after", options->after)->required();
  compare->callback([options, &status] {
    const auto text = compare_files(*options);
    if (text) {
      fmt::print("{}", *text);
    } else {
      fmt::print(stderr, "lmwarden bench compare: {}\n", text.error().message);
    }
    status = text ? 0 : 1;
  });
}

}  // namespace lmw::app
