// Answers, as engines send them, read in pieces and passed on.
#include "http_checks.hpp"

namespace lmw::fuzz {
namespace {

constexpr std::string_view next = "HTTP/1.1 204 Next\r\n\r\n";

bool has_body(int status) { return status != 204 && status != 304; }

// As gateway::relay() and net::ServerConnection do.
void check_relaying(const Reading::Message& message, bool chunked) {
  auto reader = read_head(Kind::response, message.head);
  auto head = reader.response();
  wire::remove_hop_by_hop(head.headers);
  head.minor = 1;
  head.headers.remove("Content-Length");
  std::string body = message.body;
  if (has_body(head.status)) {
    if (chunked) head.headers.add("Transfer-Encoding", "chunked");
    if (!chunked) head.headers.add("Content-Length", std::to_string(body.size()));
    body = framed(read_head(Kind::response, wire::serialize(head)), body);
  }
  const auto sent = wire::serialize(head);
  const auto seen = check_no_smuggling(Kind::response, sent + body, next);
  require(seen.head == sent && seen.body == message.body, "the client gets what the engine has sent");
}

}  // namespace

void run(std::string_view bytes) {
  const Input input(bytes);
  for (const auto& message : read_in_any_pieces(Kind::response, input).messages) {
    check_round_trip(Kind::response, message);
    check_relaying(message, false);
    check_relaying(message, true);
  }
}

}  // namespace lmw::fuzz
