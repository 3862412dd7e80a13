#include "report/html.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/columns.hpp"
#include "report/figures.hpp"

namespace lmw::report {

namespace {

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--faint:#ddd;--muted:#666;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#a34d86;--c4:#8a6d00;--c5:#333}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#16181b;--faint:#3a3d42;--muted:#a0a4aa;
--c0:#56b4e9;--c1:#ff9a4d;--c2:#3fd0a4;--c3:#e29cc8;--c4:#f0d04a;--c5:#ddd}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1000px;
margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(400px,1fr));gap:1rem}
figure{margin:0}figure.wide{margin:1rem 0}figcaption{font-weight:600;font-size:.9rem}svg{width:100%;height:auto}
.axis text{fill:var(--muted);font-size:11px}.axis path{stroke:var(--faint)}
.series{fill:var(--c);stroke:var(--c);stroke-width:1.6}.series .line{fill:none;stroke-width:2}
.s0{--c:var(--c0)}.s1{--c:var(--c1)}.s2{--c:var(--c2)}.s3{--c:var(--c3)}.s4{--c:var(--c4)}.s5{--c:var(--c5)}
.s1 .line{stroke-dasharray:7 3}.s2 .line{stroke-dasharray:2 3}.s3 .line{stroke-dasharray:9 3 2 3}
.s4 .line{stroke-dasharray:4 4}.s5 .line{stroke-dasharray:12 4}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;list-style:none}.legend svg{width:44px;height:14px}
.wait{fill:none;stroke:var(--muted);stroke-width:.8}.n{font-size:7.5px;fill:var(--paper)}
.r0{fill:var(--c0)}.r1{fill:var(--c1)}.r2{fill:var(--c2)}.r3{fill:var(--c3)}.r4{fill:var(--c4)}.r5{fill:var(--c5)}
.r6{fill:var(--muted)}.r7{fill:var(--ink)}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .5rem;text-align:right;white-space:nowrap}th{border-bottom:1px solid var(--muted)}
small{color:var(--muted)}td:nth-child(2),th:nth-child(2){text-align:left}tr.first td{border-top:1px solid var(--faint)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.85rem}dt{color:var(--muted)}dd{margin:0}
)";

Chart chart_of(const Report& report, const Figure& figure) {
  Chart chart{.title = std::string(figure.title), .x_title = "sessions", .logarithmic = figure.logarithmic};
  const auto& column = *find_column(figure.field);
  for (const auto& arm : report.arms) {
    auto& series = chart.series.emplace_back(arm.name);
    for (const auto& step : arm.steps) series.values.push_back(step.*column.value);
    if (arm.steps.size() <= chart.x_labels.size()) continue;
    chart.x_labels.clear();
    for (const auto& step : arm.steps) chart.x_labels.push_back(sessions_cell(step));
  }
  return chart;
}

std::string legend(const Report& report) {
  std::string out = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    out += fmt::format("<li>{} <b>{}</b> {}</li>", series_key(i), escape(report.arms[i].name),
                       escape(report.arms[i].what));
  }
  return out + "</ul>\n";
}

std::string table(const Report& report) {
  std::string out = "<div class=\"scroll\"><table><thead><tr><th>sessions</th><th>arm</th>";
  for (const auto& column : columns()) {
    out += fmt::format(R"(<th title="{}">{}</th>)", escape(std::string(column.what)),
                       escape(std::string(column.title)));
  }
  out += "</tr></thead><tbody>\n";
  std::size_t steps = 0;
  for (const auto& arm : report.arms) steps = std::max(steps, arm.steps.size());
  for (std::size_t i = 0; i < steps; ++i) {
    bool first = true;
    for (const auto& arm : report.arms) {
      if (i >= arm.steps.size()) continue;
      const auto& step = arm.steps[i];
      out += fmt::format("<tr{}><td>{}</td><td>{}</td>", first ? " class=\"first\"" : "", sessions_cell(step),
                         escape(arm.name));
      first = false;
      for (const auto& column : columns()) {
        const auto spread = spread_cell(arm, i, column);
        out += fmt::format("<td>{}{}</td>", cell(column, step.*column.value),
                           spread.empty() ? "" : fmt::format(" <small>{}</small>", spread));
      }
      out += "</tr>\n";
    }
  }
  return out + "</tbody></table></div>\n";
}

std::string glossary() {
  std::string out = "<dl>";
  for (const auto& column : columns()) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape(std::string(column.title)),
                       escape(std::string(column.what)));
  }
  return out + "</dl>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  auto out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>{1}</style></head>\n"
      "<body><h1>{0}</h1>\n",
      escape(report.title), style);
  out += legend(report) + "<div class=\"figures\">\n";
  for (const auto& figure : figures()) out += line_chart(chart_of(report, figure));
  out += "</div>\n<h2>All columns</h2>\n" + table(report);
  if (has_spread(report)) out += fmt::format("<p>{}.</p>\n", spread_meaning);
  if (!report.timelines.empty()) {
    out +=
        "<h2>Time-line of one step</h2>\n<p>A line is a client. A frame: it waits for content; a bar: it "
        "gets "
        "it, from the replica with that number.</p>\n";
    for (const auto& timeline : report.timelines) out += timeline_chart(timeline);
  }
  out += "<h2>How it was measured</h2>\n<dl>";
  for (const auto& [name, value] : report.provenance) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
  }
  return out + "</dl>\n<h2>The columns</h2>\n" + glossary() + "</body></html>\n";
}

}  // namespace lmw::report
