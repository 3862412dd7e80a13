// A client that asked for a model by an alias is answered with the name it asked for.
#pragma once

#include <string>
#include <string_view>

namespace lmw::gateway {

// In the event that starts at `begin` of `out`. The model's name stands before any content in every family's
// events, so the first `"model":"name"` is it.
void echo_in_event(std::string& out, std::size_t begin, std::string_view upstream, std::string_view asked);

// In a whole JSON body: its top-level `model`.
void echo_in_body(std::string& body, std::string_view upstream, std::string_view asked);

}  // namespace lmw::gateway
