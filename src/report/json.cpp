#include "report/json.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/columns.hpp"

namespace lmw::report {

namespace {

using nlohmann::ordered_json;

ordered_json number(const Column& column, const std::optional<double>& value) {
  if (!value) return nullptr;
  if (column.decimals == 0 && *value == std::floor(*value)) return static_cast<std::int64_t>(*value);
  return std::round(*value * 1e4) / 1e4;  // more decimals than any of these is known to
}

ordered_json steps_json(const std::vector<Step>& steps) {
  auto out = ordered_json::array();
  for (const auto& step : steps) {
    ordered_json fields{{"sessions", step.sessions}};
    for (const auto& column : columns()) {
      fields[std::string(column.field)] = number(column, step.*column.value);
    }
    out.push_back(std::move(fields));
  }
  return out;
}

Step read_step(const ordered_json& fields) {
  Step step{.sessions = fields.value("sessions", 0)};
  for (const auto& column : columns()) {
    const auto found = fields.find(std::string(column.field));
    if (found != fields.end() && found->is_number()) step.*column.value = found->get<double>();
  }
  return step;
}

std::vector<Step> read_steps(const ordered_json& list) {
  std::vector<Step> steps;
  for (const auto& fields : list) steps.push_back(read_step(fields));
  return steps;
}

}  // namespace

std::string to_json(const Report& report) {
  ordered_json out{{"title", report.title}, {"provenance", ordered_json::object()}};
  for (const auto& [name, value] : report.provenance) out["provenance"][name] = value;
  out["arms"] = ordered_json::array();
  for (const auto& arm : report.arms) {
    ordered_json fields{{"name", arm.name}, {"what", arm.what}, {"steps", steps_json(arm.steps)}};
    if (!arm.spread.empty()) fields["spread"] = steps_json(arm.spread);
    out["arms"].push_back(std::move(fields));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<Report> from_json(std::string_view text) {
  try {
    const auto root = ordered_json::parse(text);
    Report report{.title = root.value("title", "")};
    for (const auto& [name, value] : root.value("provenance", ordered_json::object()).items()) {
      report.provenance.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    for (const auto& arm : root.at("arms")) {
      report.arms.push_back({.name = arm.at("name").get<std::string>(),
                             .what = arm.value("what", ""),
                             .steps = read_steps(arm.at("steps")),
                             .spread = read_steps(arm.value("spread", ordered_json::array()))});
    }
    return report;
  } catch (const ordered_json::exception& error) {
    return failure(fmt::format("no report of lmwarden: {}", error.what()));
  }
}

}  // namespace lmw::report
