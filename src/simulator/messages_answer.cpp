#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "simulator/answer.hpp"
#include "simulator/answer_json.hpp"
#include "wire/splice.hpp"

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

std::string_view stop_reason(Finish finish) {
  switch (finish) {
    case Finish::length:
      return "max_tokens";
    case Finish::tool_calls:
      return "tool_use";
    case Finish::stop:
      break;
  }
  return "end_turn";
}

class MessagesAnswer final : public Answer {
 public:
  MessagesAnswer(AnswerHead head, const Reply& reply)
      : head_(std::move(head)), reply_(reply), cursor_(reply) {}

  std::string events(Progress progress) override {
    std::string out = opening();
    append_deltas(out, progress.generated);
    return out;
  }

  std::string end(const CacheCounts& counts) override {
    const Json last{{"type", "message_delta"},
                    {"delta", {{"stop_reason", stop_reason(reply_.finish)}, {"stop_sequence", nullptr}}},
                    {"usage", usage(counts)}};
    return named_event("message_delta", last.dump()) +
           named_event("message_stop", R"({"type":"message_stop"})");
  }

  std::string whole(const CacheCounts& counts) const override {
    Json content = Json::array();
    for (const auto& part : reply_.parts) content.push_back(block(part, true));
    auto json = message(std::move(content), stop_reason(reply_.finish));
    json["usage"] = usage(counts);
    return json.dump();
  }

 private:
  // Anthropic's arithmetic: what was read from the cache or written to it is not counted as input.
  Json usage(const CacheCounts& counts) const {
    const auto apart = head_.cache_details ? counts.cached + counts.written : 0;
    Json json{{"input_tokens", head_.prompt_tokens - apart}, {"output_tokens", reply_.size()}};
    if (!head_.cache_details) return json;
    json["cache_creation_input_tokens"] = counts.written;
    json["cache_read_input_tokens"] = counts.cached;
    return json;
  }

  Json message(Json content, Json stop) const {
    return {{"id", head_.id},       {"type", "message"},
            {"role", "assistant"},  {"content", std::move(content)},
            {"model", head_.model}, {"stop_reason", std::move(stop)}};
  }

  static Json block(const ReplyPart& part, bool full) {
    if (part.part.kind == Part::Kind::text) return {{"type", "text"}, {"text", full ? part.part.text : ""}};
    return {{"type", "tool_use"},
            {"id", part.id},
            {"name", part.part.name},
            {"input", full ? Json::parse(part.part.text) : Json::object()}};
  }

  std::string opening() {
    if (std::exchange(opened_, true)) return {};
    auto json = message(Json::array(), nullptr);
    json["stop_sequence"] = nullptr;  // a whole answer has none
    json["usage"] = {{"input_tokens", head_.prompt_tokens}, {"output_tokens", 0}};
    return named_event("message_start", Json{{"type", "message_start"}, {"message", std::move(json)}}.dump());
  }

  void append_deltas(std::string& out, int generated) {
    while (const auto delta = cursor_.next(generated)) {
      const auto index = delta->part - reply_.parts.data();
      if (delta->opens) {
        out += named_event("content_block_start", Json{{"type", "content_block_start"},
                                                       {"content_block", block(*delta->part, false)},
                                                       {"index", index}}
                                                      .dump());
      }
      const bool text = delta->part->part.kind == Part::Kind::text;
      const auto* form =
          text
              ? R"({{"type":"content_block_delta","delta":{{"type":"text_delta","text":{}}},"index":{}}})"
              : R"({{"type":"content_block_delta","delta":{{"type":"input_json_delta","partial_json":{}}},"index":{}}})";
      out += named_event("content_block_delta",
                         fmt::format(fmt::runtime(form), wire::json_string(delta->text), index));
      if (delta->closes)
        out += named_event("content_block_stop",
                           fmt::format(R"({{"type":"content_block_stop","index":{}}})", index));
    }
  }

  AnswerHead head_;
  const Reply& reply_;
  ReplyCursor cursor_;
  bool opened_ = false;
};

}  // namespace

std::unique_ptr<Answer> make_messages_answer(AnswerHead head, const Reply& reply) {
  return std::make_unique<MessagesAnswer>(std::move(head), reply);
}

}  // namespace lmw::simulator
