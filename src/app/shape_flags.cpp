#include "app/shape_flags.hpp"

#include <CLI/CLI.hpp>

namespace lmw::app {

namespace {

using workload::SessionShape;

struct Range {
  const char* name;
  const char* help;
  int SessionShape::* low;
  int SessionShape::* high;
};

constexpr Range ranges[] = {
    {"--first", "tokens of the first message, LOW,HIGH", &SessionShape::first_low, &SessionShape::first_high},
    {"--new", "tokens of later messages", &SessionShape::new_low, &SessionShape::new_high},
    {"--turns", "turns of a session", &SessionShape::turns_low, &SessionShape::turns_high},
    {"--output", "generated tokens of a turn", &SessionShape::output_min, &SessionShape::output_max},
};

}  // namespace

void add_shape_flags(CLI::App& command, ShapeFlags& flags) {
  for (const auto& range : ranges) {
    command
        .add_option_function<std::vector<int>>(
            range.name,
            [&flags, range](const std::vector<int>& values) {
              flags.given.emplace_back(
                  [range, low = values.front(), high = values.back()](SessionShape& shape) {
                    shape.*range.low = std::min(low, high);
                    shape.*range.high = std::max(low, high);
                  });
            },
            range.help)
        ->delimiter(',')
        ->expected(1, 2)
        ->check(CLI::Range(1, 10'000'000));
  }
  command
      .add_option_function<int>(
          "--shared",
          [&flags](int tokens) {
            flags.given.emplace_back([tokens](SessionShape& shape) { shape.shared_tokens = tokens; });
          },
          "tokens of the system prompt that all share")
      ->check(CLI::Range(0, 10'000'000));
  command
      .add_option_function<std::vector<double>>(
          "--think",
          [&flags](const std::vector<double>& values) {
            flags.given.emplace_back([median = values.front(), p95 = values.back()](SessionShape& shape) {
              shape.think = {median, p95};
            });
          },
          "seconds between two turns, MEDIAN,P95")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(CLI::Range(0.0, 86'400.0));
  command
      .add_option_function<int>(
          "--sub-agents",
          [&flags](int count) {
            flags.given.emplace_back([count](SessionShape& shape) { shape.subagents.count = count; });
          },
          "sub-agents that a session starts after its third turn")
      ->check(CLI::Range(0, 64));
}

}  // namespace lmw::app
