// What to paste into each client so that it uses a model of ours: for the page and for the start banner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/facts.hpp"

namespace lmw::admin {

struct ClientSetting {
  std::string_view client;
  std::string_view file;  // where the text belongs; "" = a shell
  std::string text;       // without a line end
};

// `api_url`: http://host:port. With a context under 32,000 tokens Claude Code must be told to ask for less
// output: it asks for 32,000, and vLLM 0.32 refuses what is more than the whole context. What is less it cuts
// to the room that the prompt leaves.
std::vector<ClientSetting> client_settings(const std::string& api_url, const engine::ServedModel& model);

}  // namespace lmw::admin
