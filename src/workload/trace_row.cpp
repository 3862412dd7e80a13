#include "workload/trace_row.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::workload {

namespace {

using nlohmann::json;

constexpr std::int64_t max_tokens = 100'000'000;
constexpr std::int64_t max_ms = std::int64_t{400} * 86'400'000;

// Thrown and caught in this file: nlohmann's own errors are exceptions too.
struct Unreadable {
  std::string why;
};

std::int64_t whole(const json& value, const char* name, std::int64_t low, std::int64_t high) {
  if (!value.is_number_integer()) throw Unreadable{fmt::format("{} is no whole number", name)};
  const auto number = value.get<std::int64_t>();
  if (number < low || number > high) throw Unreadable{fmt::format("{} is {}", name, number)};
  return number;
}

std::int64_t field(const json& row, const char* name, std::int64_t low, std::int64_t high) {
  const auto found = row.find(name);
  if (found == row.end()) throw Unreadable{fmt::format("there is no {}", name)};
  return whole(*found, name, low, high);
}

int tokens(const json& row, const char* name) { return static_cast<int>(field(row, name, 0, max_tokens)); }

std::optional<Duration> time(const json& row, const char* name) {
  if (!row.contains(name)) return std::nullopt;
  return std::chrono::milliseconds(field(row, name, 0, max_ms));
}

std::vector<BlockRun> runs(const json& list) {
  if (!list.is_array() || list.size() % 2 != 0) throw Unreadable{"add is no list of pairs"};
  std::vector<BlockRun> made;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < list.size(); i += 2) {
    const auto first = whole(list[i], "a hash", 0, std::int64_t{1} << 40);
    const auto count = whole(list[i + 1], "a count", 1, max_tokens);
    total += count;
    if (total > max_tokens) throw Unreadable{"add has too many hashes"};
    append(made, {static_cast<std::uint64_t>(first), static_cast<int>(count)});
  }
  return made;
}

json parse(std::string_view line) {
  auto parsed = json::parse(line, nullptr, false);
  if (!parsed.is_object()) throw Unreadable{"no JSON object"};
  return parsed;
}

}  // namespace

Result<TraceHeader> read_trace_header(std::string_view line) {
  try {
    const auto head = parse(line);
    if (head.value("format", 0) != 1) return failure("no trace of format 1");
    return TraceHeader{.name = head.value("name", ""),
                       .source = head.value("source", ""),
                       .licence = head.value("licence", ""),
                       .block_size = static_cast<int>(field(head, "block_size", 0, 1 << 20)),
                       .ids_are_global = head.value("hash_scope", "") == "global",
                       .is_clocked = head.value("clock", "") == "global"};
  } catch (const Unreadable& error) {
    return failure(error.why);
  } catch (const json::exception& error) {
    return failure(error.what());
  }
}

Result<TraceRow> read_trace_row(std::string_view line) {
  try {
    const auto object = parse(line);
    return TraceRow{.session = field(object, "session", 0, std::int64_t{1} << 40),
                    .agent = object.contains("agent") ? tokens(object, "agent") : 0,
                    .turn = tokens(object, "turn"),
                    .at = std::chrono::milliseconds(field(object, "t_ms", 0, max_ms)),
                    .input_tokens = static_cast<int>(field(object, "input_tokens", 1, max_tokens)),
                    .output_tokens = tokens(object, "output_tokens"),
                    .parent = static_cast<int>(field(object, "parent", -1, max_tokens)),
                    .keep = tokens(object, "keep"),
                    .add = runs(object.at("add")),
                    .api = time(object, "api_ms").value_or(Duration{}),
                    .think = time(object, "think_ms"),
                    .model = object.value("model", "")};
  } catch (const Unreadable& error) {
    return failure(error.why);
  } catch (const json::exception& error) {
    return failure(error.what());
  }
}

}  // namespace lmw::workload
