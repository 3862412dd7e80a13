#include "app/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace lmw::app {

namespace {

std::string number(std::optional<double> value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : std::string("–");
}

std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace

bool ProgressLine::is_terminal() { return isatty(STDERR_FILENO) != 0; }

void ProgressLine::show(const std::string& name, double share, const report::Step& step,
                        double seconds_left) {
  const int tenth = static_cast<int>(share * 10);
  if (!terminal_ && tenth == last_tenth_ && name == last_name_) return;
  last_tenth_ = tenth;
  last_name_ = name;
  const auto filled = static_cast<std::size_t>(share * 20);
  fmt::print(stderr, "{}{:<12} [{}{}] {:3.0f} %  {} turns  hits {} %  TTFB p50 {} s  {} left{}",
             terminal_ ? "\r" : "", name, std::string(filled, '#'), std::string(20 - filled, '.'),
             share * 100, number(step.turns, 0), number(step.hits_pct, 0), number(step.ttfb_p50_s, 2),
             time_text(seconds_left), terminal_ ? "   " : "\n");
}

void ProgressLine::end() {
  if (terminal_) fmt::print(stderr, "\r{:110}\r", "");
}

}  // namespace lmw::app
