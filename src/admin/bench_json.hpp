// Reports and lab runs as values of the admin API: docs/admin-api.md documents each field.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "admin/lab_runs.hpp"
#include "admin/reports.hpp"
#include "base/result.hpp"

namespace lmw::admin {

nlohmann::json reports_json(std::span<const Reports::Entry> entries, const std::string& problem);
// A report, with what its columns mean and which of them are drawn.
nlohmann::ordered_json report_json(std::string_view id, const report::Report& report);
// What can be run, and the run under way or the last one.
nlohmann::json lab_json(const std::optional<LabStatus>& status);
// The body of a request to start a run.
Result<LabRequest> lab_request(std::string_view body);

}  // namespace lmw::admin
