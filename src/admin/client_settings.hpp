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

// `api_url`: http://host:port. With a small context Claude Code must be told to ask for less output: it asks
// for 32,000 tokens, and engines refuse a prompt that leaves no room for them.
std::vector<ClientSetting> client_settings(const std::string& api_url, const engine::ServedModel& model);

}  // namespace lmw::admin
