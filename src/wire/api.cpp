#include "wire/api.hpp"

#include <array>
#include <cstddef>

namespace lmw::wire {
namespace {

// By the number of the endpoint.
constexpr auto routes = std::to_array<Route>({
    {Endpoint::chat_completions, "POST", "/v1/chat/completions", Family::openai, true},
    {Endpoint::completions, "POST", "/v1/completions", Family::openai, true},
    {Endpoint::responses, "POST", "/v1/responses", Family::responses, true},
    {Endpoint::messages, "POST", "/v1/messages", Family::anthropic, true},
    {Endpoint::count_tokens, "POST", "/v1/messages/count_tokens", Family::anthropic, false},
    {Endpoint::tokenize, "POST", "/tokenize", Family::openai, false},
    {Endpoint::detokenize, "POST", "/detokenize", Family::openai, false},
    {Endpoint::models, "GET", "/v1/models", Family::openai, false},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (static_cast<std::size_t>(routes[i].endpoint) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const Route* find_route(std::string_view path) {
  for (const Route& route : routes) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

const Route& route_of(Endpoint endpoint) { return routes[static_cast<std::size_t>(endpoint)]; }

Family family_of_path(std::string_view path) {
  constexpr std::string_view messages = "/v1/messages";
  const bool below =
      path.starts_with(messages) && (path.size() == messages.size() || path[messages.size()] == '/');
  return below ? Family::anthropic : Family::openai;
}

}  // namespace lmw::wire
