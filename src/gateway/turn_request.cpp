#include "gateway/turn_request.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gateway/identity_hints.hpp"

namespace lmw::gateway {

namespace {

Refusal no_pool(const Directory& directory, std::string_view model) {
  if (!directory.all_found()) {
    return {wire::ErrorKind::unavailable,
            "no engine that serves this is up yet; LM Warden keeps looking for it"};
  }
  std::string known;
  for (const auto& pool : directory.pools())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", pool->name);
  return {wire::ErrorKind::not_found,
          fmt::format("the model '{}' does not exist here; there is: {}", model, known)};
}

// Finds the pool, and the name the engine knows the model by.
std::optional<Refusal> resolve(const Directory& directory, TurnRequest& request) {
  if (!request.peek || !request.peek->model) {
    // The engine judges what we can't read, where it is clear which one.
    request.pool = directory.only_pool();
    if (request.pool) return std::nullopt;
    if (!directory.all_found()) return no_pool(directory, "");
    return Refusal{wire::ErrorKind::invalid_request,
                   request.peek ? "the request names no model, and several are served here"
                                : "the request's body is not valid JSON, so its model can't be told"};
  }
  const auto& model = *request.peek->model;
  auto resolved = directory.resolve(model);
  if (!resolved) return no_pool(directory, model);
  request.pool = resolved->pool;
  request.upstream_model = std::move(resolved->upstream_name);
  if (request.upstream_model != model) {
    request.asked_model = model;
    wire::replace_model(*request.peek, request.upstream_model, request.edits);
  }
  return std::nullopt;
}

}  // namespace

std::expected<TurnRequest, Refusal> read_turn_request(const Intake& intake, const wire::Route& route,
                                                      wire::RequestHead head, std::string body) {
  TurnRequest request{.route = &route, .head = std::move(head), .body = std::move(body)};
  if (route.method == "POST") {
    if (auto peek = wire::peek(request.body)) request.peek = std::move(*peek);
  } else {
    request.body.clear();  // a GET's body means nothing, and must not become a request of its own upstream
  }
  if (auto refusal = resolve(intake.directory, request)) return std::unexpected(std::move(*refusal));
  if (intake.edits.drop_billing && route.family == wire::Family::anthropic && request.peek) {
    request.billing_dropped = wire::drop_billing(*request.peek, request.edits);
  }
  if (intake.edits.ask_usage && route.generates && route.family == wire::Family::openai && request.peek &&
      request.peek->stream) {
    request.hide_usage = wire::ask_for_usage(*request.peek, request.edits);
  }
  return request;
}

// The first product of the User-Agent: "claude-cli/2.1.332".
std::string_view TurnRequest::client() const {
  constexpr std::size_t most = 64;
  const auto agent = head.headers.find("User-Agent").value_or(std::string_view());
  const auto is_shown = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<'; };
  const auto end = std::ranges::find_if_not(agent, is_shown);
  return agent.substr(0, std::min(most, static_cast<std::size_t>(end - agent.begin())));
}

routing::TurnFacts TurnRequest::facts(const routing::KeyHasher& hasher) const {
  const auto identity = routing::identify(identity_hints(head.headers, peek ? &*peek : nullptr));
  routing::TurnFacts facts;
  facts.key = hasher.hash(identity, "");
  facts.source = identity.source;
  facts.salt = hasher.secret();
  facts.window = identity.window;
  facts.is_response = route->endpoint == wire::Endpoint::responses;
  facts.rank_header = head.headers.find(rank_header);
  facts.client = client();
  if (peek) {
    facts.prompt = &peek->fingerprint;
    facts.bytes = body.size();
    facts.head = peek->fingerprint.system.hash ^ peek->fingerprint.tools.hash;
    facts.has_tools = peek->tools > 0;
    facts.side = routing::is_side_request(identity, peek->tools, peek->messages, body.size());
  }
  return facts;
}

wire::RequestHead upstream_head(const TurnRequest& request, const Origin& origin, std::optional<int> rank) {
  wire::RequestHead head{request.head.method, origin.base_path + request.head.target, 1,
                         request.head.headers};
  wire::remove_hop_by_hop(head.headers);
  head.headers.remove("Expect");
  head.headers.set("Host", origin.authority());
  // An encoded answer could not be watched; on a loopback or a rack there is nothing to win by it.
  head.headers.set("Accept-Encoding", "identity");
  head.headers.remove("Content-Length");
  if (request.head.method != "GET") {
    head.headers.add("Content-Length", std::to_string(request.edits.size_after(request.body.size())));
  }
  if (rank) head.headers.add(rank_header, std::to_string(*rank));
  return head;
}

}  // namespace lmw::gateway
