#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "report/chart.hpp"

namespace lmw::report {

namespace {

constexpr double width = 960, left = 8, top = 4, lane_height = 12, bar_height = 9, bottom = 24;
constexpr Duration longest = std::chrono::minutes(5);
constexpr std::size_t most_lanes = 96;

// Puts turns that overlap on different lines, and those of one client on one line where that is free.
class Lanes {
 public:
  std::size_t place(const Turn& turn, Instant end) {
    const auto usual = usual_.find(turn.agent);
    std::size_t lane = 0;
    if (usual != usual_.end() && free_from_[usual->second] <= turn.sent) {
      lane = usual->second;
    } else {
      while (lane < free_from_.size() && free_from_[lane] > turn.sent) ++lane;
      if (lane == free_from_.size()) free_from_.emplace_back();
    }
    free_from_[lane] = end;
    usual_.try_emplace(turn.agent, lane);
    return lane;
  }
  std::size_t count() const { return free_from_.size(); }

 private:
  std::vector<Instant> free_from_;
  std::unordered_map<int, std::size_t> usual_;
};

struct Scale {
  Window window;

  double x(Instant at) const {
    const auto inside = std::clamp(at, window.from, window.to);
    return left + (width - 2 * left) * seconds(inside - window.from) /
                      std::max(1e-9, seconds(window.to - window.from));
  }
};

std::string draw_turn(const Turn& turn, std::size_t lane, const Scale& scale) {
  const double y = top + static_cast<double>(lane) * lane_height;
  const auto end = turn.done.value_or(scale.window.to);
  const auto first = std::min(turn.first.value_or(end), end);
  std::string out;
  if (const double wait = scale.x(first) - scale.x(turn.sent); wait > 0) {
    out += fmt::format(R"(<rect class="wait" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>)",
                       scale.x(turn.sent), y, wait, bar_height);
  }
  const double bar = scale.x(end) - scale.x(first);
  if (bar <= 0) return out;
  out += fmt::format(R"(<rect class="r{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>)",
                     turn.replica.value_or(0) % 8, scale.x(first), y, bar, bar_height);
  if (turn.replica && bar > 8) {
    out += fmt::format(R"(<text class="n" x="{:.1f}" y="{:.1f}">{}</text>)", scale.x(first) + 1.5,
                       y + bar_height - 1.5, *turn.replica);
  }
  return out;
}

}  // namespace

std::string timeline_chart(const Timeline& timeline) {
  auto turns = timeline.turns;
  std::ranges::sort(turns, {}, [](const Turn& turn) { return std::pair(turn.sent, turn.agent); });
  const Scale scale{{timeline.window.from, std::min(timeline.window.to, timeline.window.from + longest)}};
  Lanes lanes;
  std::string bars;
  for (const auto& turn : turns) {
    if (turn.sent >= scale.window.to) break;
    const auto lane = lanes.place(turn, turn.done.value_or(scale.window.to));
    if (lane < most_lanes) bars += draw_turn(turn, lane, scale);
  }
  const double height = top + static_cast<double>(std::min(lanes.count(), most_lanes)) * lane_height + bottom;
  auto out = fmt::format(
      R"(<figure class="wide"><figcaption>{}: {} sessions, {:.0f} s</figcaption><svg viewBox="0 0 {} {:.0f}" role="img" aria-label="time-line of {}"><g class="timeline">)",
      escape(timeline.arm), timeline.sessions, seconds(scale.window.to - scale.window.from), width, height,
      escape(timeline.arm));
  out += bars + R"(</g><g class="axis">)";
  for (int i = 0; i <= 6; ++i) {
    const auto at = scale.window.from + (scale.window.to - scale.window.from) * i / 6;
    out += fmt::format(R"(<text x="{:.0f}" y="{:.0f}" text-anchor="{}">{:.0f} s</text>)", scale.x(at),
                       height - 8,
                       i == 0   ? "start"
                       : i == 6 ? "end"
                                : "middle",
                       seconds(at - scale.window.from));
  }
  return out + "</g></svg></figure>\n";
}

}  // namespace lmw::report
