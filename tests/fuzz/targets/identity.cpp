// Ids that clients send, and the rank they ask for. An input is header lines; those that begin with `body.`
// stand for the fields of the body.
#include "routing/identity.hpp"

#include <regex>
#include <string>

#include "gateway/identity_hints.hpp"
#include "routing/key.hpp"
#include "routing/rank_header.hpp"
#include "target.hpp"
#include "wire/peek.hpp"
#include "wire/user_id.hpp"

namespace lmw::fuzz {
namespace {

struct Request {
  wire::Headers headers;
  wire::Peek peek;
};

Request read(std::string_view lines) {
  Request request;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const auto line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const auto colon = std::min(line.find(':'), line.size());
    const auto field = line.substr(0, colon);
    const auto value = line.substr(std::min(colon + 1, line.size()));
    if (field == "body.user") {
      request.peek.user = value;
    } else if (field == "body.prompt_cache_key") {
      request.peek.prompt_cache_key = value;
    } else if (field == "body.metadata") {
      request.peek.metadata_session = wire::session_of_user_id(value);
    } else {
      request.headers.add(field, value);
    }
  }
  return request;
}

void check_identity(const Request& request, const routing::Identity& id) {
  const bool has_id = id.source != routing::KeySource::none;
  require(has_id == routing::is_valid_id(id.group), "whoever has a source has a valid id");
  require(id.member.empty() || (has_id && routing::is_valid_id(id.member) && id.member != id.group),
          "a member is another than its group");
  require(!id.parent || id.parent->empty() || routing::is_valid_id(*id.parent),
          "a parent is valid, or the main one");
  const auto again = routing::identify(gateway::identity_hints(request.headers, &request.peek));
  require(again.group == id.group && again.member == id.member && again.source == id.source,
          "it is the same again");
}

void check_keys(const routing::Identity& id) {
  const routing::KeyHasher hasher(1);
  const auto key = hasher.hash(id, "a");
  require(key.has_value() == !id.group.empty(), "an id makes a key");
  if (!key) return;
  const auto other = hasher.hash(id, "b");
  require(key->conversation != other->conversation && key->group != other->group,
          "API keys have keys of their own");
  require(key->parent.has_value() == id.parent.has_value(), "a parent has a key");
}

// As vLLM reads it, for the numbers that fit.
void check_rank(std::string_view text) {
  static const std::regex number("[ \t]*[+-]?0*[0-9]{1,18}[ \t]*");
  const auto rank = routing::parse_rank(text);
  const bool is_number = text.size() < 100 && std::regex_match(text.begin(), text.end(), number);
  if (text.size() < 100 && is_number)
    require(rank.has_value() && *rank == std::stol(std::string(text)), "a number is read");
  if (rank)
    require(routing::parse_rank(std::to_string(*rank)) == rank, "a number that is written reads as itself");
}

}  // namespace

void run(std::string_view lines) {
  const Request request = read(lines);
  const auto id = routing::identify(gateway::identity_hints(request.headers, &request.peek));
  check_identity(request, id);
  check_keys(id);
  if (const auto rank = request.headers.find("X-data-parallel-rank")) check_rank(*rank);
}

}  // namespace lmw::fuzz
