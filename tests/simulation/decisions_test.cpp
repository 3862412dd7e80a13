// The decisions of the rules that serve, one line a turn, beside those on file: what a change of routing does
// shows as a difference that can be read. LMWARDEN_UPDATE_DOCS=1 writes the files anew.
#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/box.hpp"

namespace lmw::lab {
namespace {

using namespace std::chrono_literals;

// Twelve agents on two cards that keep about eight of them, for two and a half minutes.
std::string decisions(std::string_view policy) {
  const auto profile = *replica::find_profile("a4000-qwen3-4b");
  const auto source = workload::synthetic_sessions({.think = {1, 4}}, profile.block_size, 7);
  Box box({.policy = *find_policy(policy), .profile = profile, .replicas = 2, .seed = 7}, *source);
  box.clients().begin({.sessions = 12, .stagger = 1s}, box.now());
  box.run_until(Instant(150s));
  std::string lines;
  for (const auto& turn : box.clients().turns()) {
    lines += fmt::format("{:6.2f} s  agent {:>2} ", seconds(turn.sent.time_since_epoch()), turn.agent);
    lines += turn.replica ? fmt::format("→ {}", *turn.replica) : "waits";
    if (turn.replica && turn.stayed) lines += *turn.stayed ? " home" : " away from home";
    if (turn.held) lines += turn.replica ? ", has waited" : "";
    if (turn.first) lines += fmt::format(", first byte after {:.2f} s", seconds(*turn.first - turn.sent));
    lines += "\n";
  }
  return lines;
}

void expect_as_on_file(const std::string& policy) {
  const auto path = std::string(LMWARDEN_SOURCE_DIR) + "/tests/simulation/decisions/" + policy + ".txt";
  const auto now = decisions(policy);
  if (std::getenv("LMWARDEN_UPDATE_DOCS")) {
    std::ofstream(path) << now;
    return;
  }
  std::ifstream file(path);
  const std::string on_file{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(now, on_file) << path;
}

TEST(Decisions, OfAffinityAreThoseOnFile) { expect_as_on_file("affinity"); }
TEST(Decisions, OfPlacesAreThoseOnFile) { expect_as_on_file("places"); }

}  // namespace
}  // namespace lmw::lab
