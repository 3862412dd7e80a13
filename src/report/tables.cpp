#include "report/tables.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "report/columns.hpp"

namespace lmw::report {

namespace {

using Row = std::vector<std::string>;
using Columns = std::vector<const Column*>;

// A terminal has room for the spread of these, in the place of those.
constexpr std::array<std::string_view, 4> main_fields{"tokens_per_min", "ttfb_p50_s", "ttfb_p95_s",
                                                      "hits_pct"};
constexpr std::array<std::string_view, 2> left_out_for_spread{"ttfb_p99_s", "turn_p95_s"};

bool is_one_of(std::span<const std::string_view> fields, const Column& column) {
  return std::ranges::find(fields, column.field) != fields.end();
}

Columns columns_worth_showing(const Report& report) {
  Columns shown;
  for (const auto& column : columns()) {
    const bool any = std::ranges::any_of(report.arms, [&](const Arm& arm) {
      return std::ranges::any_of(arm.steps, [&](const Step& step) { return step.*column.value != 0.0; });
    });
    if (any) shown.push_back(&column);
  }
  return shown;
}

using CellText = std::string(const Arm& arm, std::size_t step, const Column& column);

std::string full_cell(const Arm& arm, std::size_t step, const Column& column) {
  const auto spread = spread_cell(arm, step, column);
  return cell(column, arm.steps[step].*column.value) + (spread.empty() ? "" : " " + spread);
}

std::string narrow_cell(const Arm& arm, std::size_t step, const Column& column) {
  return cell(column, arm.steps[step].*column.value) +
         (is_one_of(main_fields, column) ? spread_cell(arm, step, column) : "");
}

// By sessions, so that the arms of one load stand below each other; the first row is the titles.
std::vector<Row> rows_of(const Report& report, const Columns& shown, CellText* text) {
  std::vector<Row> rows{{"sessions", "arm"}};
  for (const auto* column : shown) rows.front().emplace_back(column->title);
  std::size_t steps = 0;
  for (const auto& arm : report.arms) steps = std::max(steps, arm.steps.size());
  for (std::size_t i = 0; i < steps; ++i) {
    for (const auto& arm : report.arms) {
      if (i >= arm.steps.size()) continue;
      Row row{sessions_cell(arm.steps[i]), arm.name};
      for (const auto* column : shown) row.push_back(text(arm, i, *column));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Of UTF-8, in characters.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(const std::optional<double>& value) {
  return value ? fmt::format(",{:.6g}", *value) : ",";
}

}  // namespace

std::string to_table(const Report& report) {
  const bool spread = has_spread(report);
  auto shown = columns_worth_showing(report);
  if (spread)
    std::erase_if(shown, [](const auto* column) { return is_one_of(left_out_for_spread, *column); });
  const auto rows = rows_of(report, shown, narrow_cell);
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
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
  if (spread) out += fmt::format("\n{}.\n", spread_meaning);
  return out;
}

std::string to_markdown(const Report& report) {
  std::string out = fmt::format("## {}\n\n", report.title);
  const auto rows = rows_of(report, columns_worth_showing(report), full_cell);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& text : rows[i]) out += "| " + text + " ";
    out += "|\n";
    if (i > 0) continue;
    for (std::size_t column = 0; column < rows[i].size(); ++column) out += column == 1 ? "|---" : "|--:";
    out += "|\n";
  }
  out += "\nTimes in engine seconds.\n";
  if (has_spread(report)) out += fmt::format("{}.\n", spread_meaning);
  for (const auto& [name, value] : report.provenance) out += fmt::format("- {}: {}\n", name, value);
  return out;
}

std::string to_csv(const Report& report) {
  const bool spread = has_spread(report);
  std::string out = "arm,sessions";
  for (const auto& column : columns()) out += fmt::format(",{}", column.field);
  for (const auto& column : columns()) out += spread ? fmt::format(",{}_sd", column.field) : "";
  out += "\n";
  for (const auto& arm : report.arms) {
    for (std::size_t i = 0; i < arm.steps.size(); ++i) {
      const auto& step = arm.steps[i];
      out += fmt::format("{},{}", csv_text(arm.name), step.sessions);
      for (const auto& column : columns()) out += csv_field(step.*column.value);
      for (const auto& column : columns()) out += spread ? csv_field(spread_of(arm, i, column)) : "";
      out += "\n";
    }
  }
  return out;
}

}  // namespace lmw::report
