// Figures as SVG, to stand in an HTML page that has the styles of html.cpp. Series differ in colour, dash and
// mark, so that they can be told apart in black and white; text and lines take the page's colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace lmw::report {

struct Series {
  std::string name;
  std::vector<std::optional<double>> values;  // by place on the x axis; nothing: a gap
};

struct Chart {
  std::string title;
  std::string x_title;
  std::vector<std::string> x_labels;
  bool logarithmic = false;  // values up to 0 are left out
  std::vector<Series> series;
};

std::string line_chart(const Chart& chart);
// Line and mark of the series of that number, for a legend.
std::string series_key(std::size_t number);

// The turns of a step, one line a client: a frame while it waits for content, then a bar with the number of
// the replica while it gets it. At most the first five minutes.
std::string timeline_chart(const Timeline& timeline);

// With &, <, > and " as entities.
std::string escape(const std::string& text);

}  // namespace lmw::report
