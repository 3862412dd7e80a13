// What one request asks of us: its model and pool, its place in a conversation, and the edits its body needs.
#pragma once

#include <optional>
#include <string>

#include "gateway/directory.hpp"
#include "gateway/refusal.hpp"
#include "routing/key.hpp"
#include "routing/router.hpp"
#include "wire/api.hpp"
#include "wire/http_message.hpp"
#include "wire/peek.hpp"
#include "wire/splice.hpp"

namespace lmw::gateway {

struct TurnRequest {
  const wire::Route* route = nullptr;
  wire::RequestHead head;
  std::string body;                // followed by wire::padding readable bytes
  std::optional<wire::Peek> peek;  // nothing: the body is no JSON that we can read; the engine is the judge
  Pool* pool = nullptr;
  wire::Splice edits;
  bool billing_dropped = false;
  bool hide_usage = false;  // the stream's usage is asked for by us alone
  // The name the client asked for, when the engine knows the model by another one.
  std::optional<std::string> asked_model;
  std::string upstream_model;

  // What routing may know of it. Views into this object.
  routing::TurnFacts facts(const routing::KeyHasher& hasher) const;
  // The client's name and version, for people to read. Of its User-Agent only what is safe to show.
  std::string_view client() const;
};

struct Intake {
  const Directory& directory;
  const config::Edits& edits;
};

// Reads a request that has come whole.
std::expected<TurnRequest, Refusal> read_turn_request(const Intake& intake, const wire::Route& route,
                                                      wire::RequestHead head, std::string body);

// The head to send upstream. Connection matters stay behind; the rank is added when routing chose one.
wire::RequestHead upstream_head(const TurnRequest& request, const Origin& origin, std::optional<int> rank);

inline constexpr std::string_view rank_header = "X-data-parallel-rank";

}  // namespace lmw::gateway
