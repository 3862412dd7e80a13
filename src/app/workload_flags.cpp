#include "app/workload_flags.hpp"

#include <CLI/CLI.hpp>

#include "app/trace_file.hpp"

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

void add_shape_flags(CLI::App& command, WorkloadFlags& flags) {
  for (const auto& range : ranges) {
    command
        .add_option_function<std::vector<int>>(
            range.name,
            [&flags, range](const std::vector<int>& values) {
              flags.shape.emplace_back(
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
            flags.shape.emplace_back([tokens](SessionShape& shape) { shape.shared_tokens = tokens; });
          },
          "tokens of the system prompt that all share")
      ->check(CLI::Range(0, 10'000'000));
  command
      .add_option_function<std::vector<double>>(
          "--think",
          [&flags](const std::vector<double>& values) {
            flags.shape.emplace_back([median = values.front(), p95 = values.back()](SessionShape& shape) {
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
            flags.shape.emplace_back([count](SessionShape& shape) { shape.subagents.count = count; });
          },
          "sub-agents that a session starts after its third turn")
      ->check(CLI::Range(0, 64));
}

}  // namespace

void add_workload_flags(CLI::App& command, WorkloadFlags& flags) {
  command.add_option("workload", flags.name, names_of(lab::workloads()))->capture_default_str();
  command.add_option("--sessions", flags.sessions, "clients at work in each step, as 4,8,16")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000));
  command.add_option("--seconds", flags.seconds, "length of a step")->check(CLI::Range(1.0, 1e7));
  command.add_option("--warm", flags.warm, "seconds before a step that are not measured")
      ->check(CLI::Range(0.0, 1e7));
  command.add_option("--rate", flags.sessions_per_hour, "sessions an hour, where they come at random")
      ->check(CLI::Range(0.001, 1e7));
  command.add_option("--trace", flags.trace_file, "sessions of this trace (JSON lines, also gzip)");
  command.add_flag("--strict", flags.strict, "refuse a trace with lines that can't be read");
  command.add_option("--timeline-step", flags.timeline_step,
                     "the step whose turns the HTML report draws, from 0 (default: the middle one)");
  add_shape_flags(command, flags);
}

Result<lab::Workload> WorkloadFlags::workload() const {
  const auto* known = lab::find_workload(name);
  if (!known) {
    return failure(fmt::format("there is no workload '{}'; there are: {}", name, names_of(lab::workloads())));
  }
  auto made = *known;
  if (!sessions.empty()) {
    if (made.arrivals != lab::Arrivals::closed)
      return failure(fmt::format("{} has no number of sessions", made.name));
    made.sessions = sessions;
  }
  if (seconds) made.step = from_seconds(*seconds);
  if (warm) made.warm = from_seconds(*warm);
  made.sessions_per_hour = sessions_per_hour.value_or(made.sessions_per_hour);
  for (const auto& change : shape) change(made.shape);
  if (made.needs_trace && trace_file.empty()) {
    return failure(
        fmt::format("{} needs a trace: --trace FILE (docs/lab.md says where to get one)", made.name));
  }
  return made;
}

Result<std::optional<workload::Trace>> WorkloadFlags::trace() const {
  if (trace_file.empty()) return std::nullopt;
  auto read = load_trace(trace_file, {.strict = strict});
  if (!read) return std::unexpected(read.error());
  for (const auto& line : read->skipped) fmt::print(stderr, "skipped: {}\n", line);
  return std::move(*read);
}

std::size_t WorkloadFlags::timeline_step_of(const lab::Workload& workload) const {
  return timeline_step >= 0 ? static_cast<std::size_t>(timeline_step) : workload.sessions.size() / 2;
}

}  // namespace lmw::app
