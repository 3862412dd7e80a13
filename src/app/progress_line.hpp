// One line that is written over again and again on a terminal; every tenth of the way elsewhere. On standard
// error, so that results can be piped.
#pragma once

#include <cstdio>
#include <string>

#include "report/report.hpp"

namespace lmw::app {

class ProgressLine {
 public:
  // `share` of what is drawn, 0 to 1; `step` so far. Seconds of the wall clock.
  void show(const std::string& name, double share, const report::Step& step, double seconds_left);
  // Clears the line.
  void end();

 private:
  bool terminal_ = is_terminal();
  int last_tenth_ = -1;
  std::string last_name_;

  static bool is_terminal();
};

}  // namespace lmw::app
