// The engine's HTTP API as far as we know it: routes, and the two families of shapes.
#pragma once

#include <optional>
#include <string_view>

namespace lmw::wire {

// How errors and streams look to the caller. Responses: OpenAI's errors, but streams of named events.
enum class Family { openai, anthropic, responses };

enum class Endpoint {
  chat_completions,  // POST /v1/chat/completions
  completions,       // POST /v1/completions
  responses,         // POST /v1/responses
  messages,          // POST /v1/messages
  count_tokens,      // POST /v1/messages/count_tokens
  tokenize,          // POST /tokenize
  detokenize,        // POST /detokenize
  models,            // GET /v1/models
};

struct Route {
  Endpoint endpoint;
  std::string_view method;
  std::string_view path;
  Family family;
  bool generates;  // a turn: it runs on a replica and uses its cache; others are lookups that any replica
                   // answers
};

// The route of a path (without query), whatever the method; nothing for unknown paths.
const Route* find_route(std::string_view path);
const Route& route_of(Endpoint endpoint);

// The family that errors of an unknown path are answered in: Anthropic for /v1/messages/..., else OpenAI.
Family family_of_path(std::string_view path);

}  // namespace lmw::wire
