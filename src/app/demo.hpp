// `lmwarden demo`: the main job on the replica model. The same agents work on the same engine three times:
// behind the balancer of vLLM 0.26, behind that of 0.27 and later, and with affinity. Then a table; then it
// keeps serving.
#pragma once

#include <string>

namespace lmw::app {

struct DemoOptions {
  int replicas = 4;
  int agents = 8;
  std::string profile = "a4000-qwen3-4b";
  double speed = 12;     // engine seconds a wall second
  double seconds = 200;  // of engine time an arm
  std::uint64_t seed = 1;
  std::string json_file;  // "" = none, "-" = standard output
  bool exit = false;      // do not keep serving
  std::string listen = "127.0.0.1:8080";
  std::string admin_listen = "127.0.0.1:8081";
};

// The exit status.
int run_demo(const DemoOptions& options);

}  // namespace lmw::app
