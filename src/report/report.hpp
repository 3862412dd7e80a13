// What a run of several arms (ways of routing the same work) has measured. Filled in by what measures, shown
// by the other files of this folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/turn.hpp"

namespace lmw::report {

// One load level of one arm. Times are engine seconds. Absent: nothing was measured; shown as n/a, never as
// 0. Every member is a column: columns.hpp says what it means.
struct Step {
  int sessions = 0;  // at work at the same time; 0 where they come as they come
  std::optional<double> turns;
  std::optional<double> sessions_per_hour;
  std::optional<double> tokens_per_min;
  std::optional<double> ttfb_mean_s;
  std::optional<double> ttfb_p50_s;
  std::optional<double> ttfb_p95_s;
  std::optional<double> ttfb_p99_s;
  std::optional<double> turn_p50_s;
  std::optional<double> turn_p95_s;
  std::optional<double> replicas_busy;
  std::optional<double> hits_pct;
  std::optional<double> cached_pct;
  std::optional<double> stayed_pct;
  std::optional<double> spilled;
  std::optional<double> held;
  std::optional<double> computed_tokens;
  std::optional<double> failures;
  std::optional<double> worst_wait_s;
  std::optional<double> fairness;
};

struct Arm {
  std::string name;
  std::string what;         // in a few words
  std::vector<Step> steps;  // means over the repeats
  // By step, where there were repeats: the standard deviation of each column.
  std::vector<Step> spread;
};

// The turns of one step of one arm, to draw.
struct Timeline {
  std::string arm;
  int sessions = 0;
  Window window;
  std::vector<Turn> turns;
};

// Of turns, those that touch the window.
Timeline timeline_of(std::string arm, int sessions, Window window, const std::vector<Turn>& turns);

struct Report {
  std::string title;
  // What a reader needs to know, or to run it again: command, version, engine, profile, seed, clock, …
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<Arm> arms;
  std::vector<Timeline> timelines;
};

// Means and standard deviations over runs of one arm, which have the same steps as far as they go. A column
// or a step that one run lacks is averaged over the others.
Arm combine(std::string name, std::string what, const std::vector<std::vector<Step>>& runs);

}  // namespace lmw::report
