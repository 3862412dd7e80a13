#include "admin/bench_json.hpp"

#include <nlohmann/json.hpp>

#include "base/utc.hpp"
#include "lab/policy.hpp"
#include "lab/workloads.hpp"
#include "report/columns.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"

namespace lmw::admin {

namespace {

using nlohmann::json;

constexpr std::uint64_t most_seed = 1'000'000'000;

std::string_view name_of(LabState state) {
  switch (state) {
    case LabState::running:
      return "running";
    case LabState::done:
      return "done";
    case LabState::cancelled:
      return "cancelled";
    case LabState::failed:
      break;
  }
  return "failed";
}

json entry_json(const Reports::Entry& entry) {
  json out{{"id", entry.id}, {"made", utc(entry.made)}, {"bytes", entry.bytes}, {"arms", json::array()}};
  if (!entry.report) {
    out["title"] = "";
    out["problem"] = entry.report.error().message;
    return out;
  }
  out["title"] = entry.report->title;
  out["problem"] = nullptr;
  for (const auto& arm : entry.report->arms) out["arms"].push_back(arm.name);
  return out;
}

json status_json(const LabStatus& status) {
  return {{"workload", status.request.workload},
          {"arms", status.request.arms},
          {"seed", status.request.seed},
          {"seeds", status.request.seeds},
          {"state", name_of(status.state)},
          {"progress", status.progress},
          {"arm", status.arm},
          {"started", utc(status.started)},
          {"took_s", status.took_s},
          {"report", status.report.empty() ? json(nullptr) : json(status.report)},
          {"problem", status.problem.empty() ? json(nullptr) : json(status.problem)}};
}

bool is_count(const json& value, std::uint64_t most) {
  return value.is_number_integer() && value >= 1 && value <= most;
}

}  // namespace

json reports_json(std::span<const Reports::Entry> entries, const std::string& problem) {
  json list = json::array();
  for (const auto& entry : entries) list.push_back(entry_json(entry));
  return {{"reports", std::move(list)},
          {"most", Reports::most},
          {"most_bytes", Reports::most_bytes},
          {"problem", problem.empty() ? json(nullptr) : json(problem)}};
}

nlohmann::ordered_json report_json(std::string_view id, const report::Report& report) {
  json columns = json::array();
  for (const auto& column : report::columns()) {
    columns.push_back({{"field", column.field},
                       {"title", column.title},
                       {"what", column.what},
                       {"decimals", column.decimals}});
  }
  json figures = json::array();
  for (const auto& figure : report::figures()) {
    figures.push_back(
        {{"field", figure.field}, {"title", figure.title}, {"logarithmic", figure.logarithmic}});
  }
  return {{"id", id},
          {"report", nlohmann::ordered_json::parse(report::to_json(report))},
          {"columns", std::move(columns)},
          {"figures", std::move(figures)}};
}

json lab_json(const std::optional<LabStatus>& status) {
  json workloads = json::array();
  for (const auto& workload : lab::workloads()) {
    if (!workload.needs_trace) workloads.push_back({{"name", workload.name}, {"what", workload.what}});
  }
  json arms = json::array();
  for (const auto& policy : lab::policies()) arms.push_back({{"name", policy.name}, {"what", policy.what}});
  return {{"workloads", std::move(workloads)},
          {"arms", std::move(arms)},
          {"most_seeds", LabRuns::most_seeds},
          {"run", status ? status_json(*status) : json(nullptr)}};
}

Result<LabRequest> lab_request(std::string_view body) {
  const auto given = json::parse(body, nullptr, false);
  if (!given.is_object()) return failure("the body must be a JSON object");
  LabRequest request;
  for (const auto& [key, value] : given.items()) {
    if (key == "workload" && value.is_string()) {
      request.workload = value.get<std::string>();
    } else if (key == "arms" && value.is_array()) {
      for (const auto& arm : value) {
        if (!arm.is_string()) return failure("arms is a list of names");
        request.arms.push_back(arm.get<std::string>());
      }
    } else if (key == "seed" && is_count(value, most_seed)) {
      request.seed = value.get<std::uint64_t>();
    } else if (key == "seeds" && is_count(value, LabRuns::most_seeds)) {
      request.seeds = value.get<int>();
    } else {
      return failure(
          fmt::format("'{}' is no part of a run, or has a value that it can't have; there are workload, "
                      "arms (a list), seed (1 to {}) and seeds (1 to {})",
                      key, most_seed, LabRuns::most_seeds));
    }
  }
  return request;
}

}  // namespace lmw::admin
