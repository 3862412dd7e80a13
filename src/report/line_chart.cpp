#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"

namespace lmw::report {

namespace {

constexpr double width = 460, height = 280, left = 56, right = 12, top = 12, bottom = 44;
constexpr std::size_t marks = 6;

// The y axis: from the lowest to the highest tick.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;

  double y(double value) const {
    const auto at = [&](double v) { return logarithmic ? std::log10(v) : v; };
    const double share = (at(value) - at(low)) / (at(high) - at(low));
    return height - bottom - share * (height - top - bottom);
  }
};

// 1, 2 and 5 times powers of ten around the values.
Axis log_axis(double low, double high) {
  Axis axis{.logarithmic = true};
  for (int power = static_cast<int>(std::floor(std::log10(low))); axis.high < high || axis.ticks.size() < 2;
       ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      if (axis.ticks.size() == 1 && tick <= low * 1.0001) axis.ticks.clear();
      axis.ticks.push_back(tick);
      axis.high = tick;
      if (tick >= high && axis.ticks.size() > 1) break;
    }
  }
  axis.low = axis.ticks.front();
  return axis;
}

Axis linear_axis(double high) {
  high = std::max(high, 1e-6);
  const double rough = high / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  Axis axis{.high = std::ceil(high / step - 1e-9) * step};
  for (int i = 0; i * step <= axis.high + step / 2; ++i) axis.ticks.push_back(i * step);
  return axis;
}

bool is_shown(const Chart& chart, const std::optional<double>& value) {
  return value && std::isfinite(*value) && (!chart.logarithmic || *value > 0);
}

Axis axis_of(const Chart& chart) {
  std::optional<double> low, high;
  for (const auto& series : chart.series) {
    for (const auto& value : series.values) {
      if (!is_shown(chart, value)) continue;
      low = std::min(low.value_or(*value), *value);
      high = std::max(high.value_or(*value), *value);
    }
  }
  return chart.logarithmic ? log_axis(low.value_or(0.1), high.value_or(1)) : linear_axis(high.value_or(1));
}

double x_of(const Chart& chart, std::size_t place) {
  const double room = width - left - right;
  return left + room * (static_cast<double>(place) + 0.5) / static_cast<double>(chart.x_labels.size());
}

std::string mark(std::size_t kind, double x, double y) {
  const auto path = [&](std::string_view d) {
    return fmt::format(R"svg(<path d="{}" transform="translate({:.1f} {:.1f})"/>)svg", d, x, y);
  };
  constexpr std::array<std::string_view, marks> shapes{"M-4 0A4 4 0 1 0 4 0A4 4 0 1 0-4 0Z",
                                                       "M-3.5-3.5H3.5V3.5H-3.5Z",
                                                       "M0-4.5L4.5 3.5H-4.5Z",
                                                       "M0-5L5 0L0 5L-5 0Z",
                                                       "M-4-4L4 4M-4 4L4-4",
                                                       "M0-5V5M-5 0H5"};
  return path(shapes[kind % marks]);
}

std::string draw_axes(const Chart& chart, const Axis& axis) {
  std::string out = R"(<g class="axis">)";
  for (const double tick : axis.ticks) {
    out += fmt::format(R"(<path d="M{} {:.1f}H{}"/><text x="{}" y="{:.1f}" text-anchor="end">{:g}</text>)",
                       left, axis.y(tick), width - right, left - 6, axis.y(tick) + 4, tick);
  }
  for (std::size_t i = 0; i < chart.x_labels.size(); ++i) {
    out += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x_of(chart, i),
                       height - bottom + 18, escape(chart.x_labels[i]));
  }
  return out + fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text></g>)",
                           left + (width - left - right) / 2, height - 6, escape(chart.x_title));
}

std::string draw_series(const Chart& chart, const Axis& axis, std::size_t number) {
  std::string line, points;
  bool drawing = false;
  const auto& values = chart.series[number].values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool shown = is_shown(chart, values[i]);
    if (shown) {
      const double x = x_of(chart, i), y = axis.y(*values[i]);
      line += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x, y);
      points += mark(number, x, y);
    }
    drawing = shown;
  }
  return fmt::format(R"(<g class="series s{}"><title>{}</title><path class="line" d="{}"/>{}</g>)",
                     number % marks, escape(chart.series[number].name), line.empty() ? "M0 0" : line, points);
}

}  // namespace

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string series_key(std::size_t number) {
  return fmt::format(
      R"(<svg viewBox="0 0 44 14" class="series s{}"><path class="line" d="M0 7H44"/>{}</svg>)",
      number % marks, mark(number, 22, 7));
}

std::string line_chart(const Chart& chart) {
  const auto axis = axis_of(chart);
  auto out = fmt::format(
      R"(<figure><figcaption>{}</figcaption><svg viewBox="0 0 {} {}" role="img" aria-label="{}">)",
      escape(chart.title), width, height, escape(chart.title));
  out += draw_axes(chart, axis);
  for (std::size_t i = 0; i < chart.series.size(); ++i) out += draw_series(chart, axis, i);
  return out + "</svg></figure>\n";
}

}  // namespace lmw::report
