#include "report/tables.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/columns.hpp"

namespace lmw::report {

namespace {

using Row = std::vector<std::string>;

std::vector<const Column*> columns_worth_showing(const Report& report) {
  std::vector<const Column*> shown;
  for (const auto& column : columns()) {
    const bool any = std::ranges::any_of(report.arms, [&](const Arm& arm) {
      return std::ranges::any_of(arm.steps, [&](const Step& step) { return step.*column.value != 0.0; });
    });
    if (any) shown.push_back(&column);
  }
  return shown;
}

std::string sessions_cell(const Step& step) {
  return step.sessions > 0 ? std::to_string(step.sessions) : "open";
}

// By sessions, so that the arms of one load stand below each other; the first row is the titles.
std::vector<Row> rows_of(const Report& report) {
  const auto shown = columns_worth_showing(report);
  std::vector<Row> rows{{"sessions", "arm"}};
  for (const auto* column : shown) rows.front().emplace_back(column->title);
  std::size_t steps = 0;
  for (const auto& arm : report.arms) steps = std::max(steps, arm.steps.size());
  for (std::size_t i = 0; i < steps; ++i) {
    for (const auto& arm : report.arms) {
      if (i >= arm.steps.size()) continue;
      Row row{sessions_cell(arm.steps[i]), arm.name};
      for (const auto* column : shown) row.push_back(cell(*column, arm.steps[i].*column->value));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string to_table(const Report& report) {
  const auto rows = rows_of(report);
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out, last_sessions = rows.front().front();
  for (const auto& row : rows) {
    if (row.front() != last_sessions && last_sessions != rows.front().front()) out += "\n";
    last_sessions = row.front();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += "  ";
      out += i == 1 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
    }
    out += "\n";
  }
  return out;
}

std::string to_markdown(const Report& report) {
  std::string out = fmt::format("## {}\n\n", report.title);
  const auto rows = rows_of(report);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& text : rows[i]) out += "| " + text + " ";
    out += "|\n";
    if (i > 0) continue;
    for (std::size_t column = 0; column < rows[i].size(); ++column) out += column == 1 ? "|---" : "|--:";
    out += "|\n";
  }
  out += "\nTimes in engine seconds.\n";
  for (const auto& [name, value] : report.provenance) out += fmt::format("- {}: {}\n", name, value);
  return out;
}

std::string to_csv(const Report& report) {
  std::string out = "arm,sessions";
  for (const auto& column : columns()) out += fmt::format(",{}", column.field);
  out += "\n";
  for (const auto& arm : report.arms) {
    for (const auto& step : arm.steps) {
      out += fmt::format("{},{}", csv_text(arm.name), step.sessions);
      for (const auto& column : columns()) {
        const auto& value = step.*column.value;
        out += value ? fmt::format(",{:.6g}", *value) : ",";
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace lmw::report
