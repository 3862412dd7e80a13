#include "app/run_lines.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utc.hpp"

namespace lmw::app {

namespace {

std::string flags_of(const CLI::App& command) {
  std::string text;
  for (const auto* option : command.get_options()) {
    const auto name = option->get_name();
    if (option->count() == 0 || name == "--api-key" || name == "--admin-token") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, fmt::join(option->results(), ","));
  }
  return text;
}

}  // namespace

About run_lines(const CLI::App& command) { return {{"date", utc(unix_now())}, {"flags", flags_of(command)}}; }

}  // namespace lmw::app
