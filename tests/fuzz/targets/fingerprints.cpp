// The fingerprint of a prompt: what an engine reads alike is alike, and a longer history begins as the
// shorter one. An input is a request; what is compared are requests made of it.
#include "documents.hpp"
#include "target.hpp"

namespace lmw::fuzz {
namespace {

Fingerprint print_of(const Json& document) {
  const Body body(document.dump());
  const auto peek = wire::peek(body.view());
  require(peek.has_value(), "what is JSON can be peeked at");
  return peek->fingerprint;
}

void check_bounds(const Fingerprint& print) {
  require(print.messages.size() <= Fingerprint::max_messages, "messages are bounded");
  require(print.tails.size() <= Fingerprint::max_tails, "tails are bounded");
  std::size_t with_pieces = 0;
  for (const auto& message : print.messages) {
    require(message.exact != 0, "a message has a hash");
    require(message.pieces.size() <= Fingerprint::max_pieces, "pieces are bounded");
    with_pieces += message.pieces.empty() ? 0 : 1;
  }
  require(with_pieces <= Fingerprint::messages_in_pieces, "messages in pieces are bounded");
  for (const auto* part : {&print.system, &print.tools})
    require(part->pieces.size() <= Fingerprint::max_pieces, "pieces are bounded");
}

// The list of messages, where the request has one and nothing that could take its place.
Json* only_messages(Json& document) {
  Json* list = nullptr;
  for (const auto* key : {"messages", "input", "prompt"}) {
    if (!document.contains(key)) continue;
    if (list) return nullptr;
    list = &document[key];
  }
  return list && list->is_array() && !document.contains("prompt") ? list : nullptr;
}

// Clients move their cache marks with every turn, and write a text in two ways.
void rewrite(Json& message) {
  if (!message.is_object()) return;
  message["cache_control"] = {{"type", "ephemeral"}};
  const auto content = message.find("content");
  if (content == message.end()) return;
  if (content->is_string()) *content = Json::array({{{"type", "text"}, {"text", *content}}});
  if (!content->is_array()) return;
  for (auto& part : *content)
    if (part.is_object()) part["cache_control"] = {{"type", "ephemeral"}};
}

void check_rewriting(Json document, const Fingerprint& print) {
  for (auto& message : *only_messages(document)) rewrite(message);
  require(equal(print_of(document), print), "cache marks and the form of a text make no difference");
}

void check_history(Json document, const Fingerprint& print) {
  only_messages(document)->push_back({{"role", "user"}, {"content", "and now?"}});
  const auto longer = print_of(document);
  require(longer.messages.size() == std::min(print.messages.size() + 1, Fingerprint::max_messages),
          "one more");
  for (std::size_t i = 0; i < print.messages.size(); ++i)
    require(longer.messages[i].exact == print.messages[i].exact &&
                longer.messages[i].identity == print.messages[i].identity,
            "a longer history begins as the shorter one");
}

// A last message may lose its end when it becomes history: its first paragraph is one of the tails.
void check_tails(Json document, const Fingerprint& print) {
  auto& messages = *only_messages(document);
  if (messages.empty() || messages.size() > Fingerprint::max_messages) return;
  auto& last = messages.back();
  if (!last.is_object() || last.value("role", Json()) != "user" || !last.contains("content")) return;
  if (!last["content"].is_string()) return;
  const auto text = last["content"].get<std::string>();
  const auto end = text.find("\n\n", 1);
  const bool reminder = text.starts_with('<') || text.contains('\\');
  if (end == text.npos || reminder) return;
  last["content"] = text.substr(0, end);
  require(std::ranges::find(print.tails, print_of(document).identity()) != print.tails.end(), "a tail");
}

}  // namespace

void run(std::string_view text) {
  const auto parsed = document_of(text);
  if (!parsed.is_object()) return;
  Json document = parsed;
  const auto print = print_of(document);
  check_bounds(print);
  if (!only_messages(document)) return;
  check_rewriting(document, print);
  check_history(document, print);
  check_tails(document, print);
}

}  // namespace lmw::fuzz
