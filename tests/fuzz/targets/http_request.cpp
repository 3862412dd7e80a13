// Requests, as clients send them, read in pieces and sent on.
#include "http_checks.hpp"

namespace lmw::fuzz {
namespace {

constexpr std::string_view next = "GET /next HTTP/1.1\r\nHost: engine\r\n\r\n";

// As gateway::upstream_head() does.
void check_forwarding(const Reading::Message& message) {
  auto reader = read_head(Kind::request, message.head);
  auto head = reader.request();
  wire::remove_hop_by_hop(head.headers);
  require(!head.headers.find("Transfer-Encoding") && !head.headers.find("Connection"), "hop by hop is gone");
  head.minor = 1;
  head.headers.set("Host", "engine");
  head.headers.remove("Content-Length");
  head.headers.add("Content-Length", std::to_string(message.body.size()));
  const auto sent = wire::serialize(head);
  const auto seen = check_no_smuggling(Kind::request, sent + message.body, next);
  require(seen.head == sent && seen.body == message.body, "the engine gets what the client has sent");
}

}  // namespace

void run(std::string_view bytes) {
  const Input input(bytes);
  for (const auto& message : read_in_any_pieces(Kind::request, input).messages) {
    check_round_trip(Kind::request, message);
    check_forwarding(message);
  }
}

}  // namespace lmw::fuzz
