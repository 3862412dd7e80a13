#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "simulator/answer.hpp"
#include "simulator/answer_json.hpp"
#include "wire/splice.hpp"

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

class ChatAnswer final : public Answer {
 public:
  ChatAnswer(AnswerHead head, const Reply& reply) : head_(std::move(head)), reply_(reply), cursor_(reply) {
    prefix_ =
        fmt::format(R"(data: {{"id":{},"object":"chat.completion.chunk","created":{},"model":{},"choices":[)",
                    wire::json_string(head_.id), head_.created, wire::json_string(head_.model));
  }

  // The last piece has the reason of the end, so it waits for the last token.
  std::string events(Progress progress) override {
    const bool ends = progress.generated >= reply_.size();
    const int now = ends ? reply_.size() : progress.generated;
    std::string out = opening();
    auto delta = cursor_.next(now);
    while (delta) {
      const auto json = delta_json(*delta);
      delta = cursor_.next(now);
      const bool last = ends && !delta;
      append_chunk(out, json, last ? last_choice() : R"(null,"token_ids":null)", now,
                   last ? last_tail() : "");
    }
    return out;
  }

  std::string end(const CacheCounts& counts) override {
    std::string out;
    if (head_.include_usage) {
      auto usage = plain_usage(head_.prompt_tokens, reply_.size());
      if (head_.cache_details) usage["prompt_tokens_details"] = details(counts);
      out = prefix_ + R"(],"usage":)" + usage.dump() + fingerprint() + "}\n\n";
    }
    return out + "data: [DONE]\n\n";
  }

  std::string whole(const CacheCounts& counts) const override {
    Json choice{{"index", 0},
                {"message", message()},
                {"logprobs", nullptr},
                {"finish_reason", finish_name(reply_.finish)},
                {"stop_reason", nullptr},
                {"token_ids", nullptr},
                {"routed_experts", nullptr}};
    return Json{{"id", head_.id},
                {"object", "chat.completion"},
                {"created", head_.created},
                {"model", head_.model},
                {"choices", Json::array({std::move(choice)})},
                {"service_tier", nullptr},
                {"system_fingerprint", head_.fingerprint},
                {"usage", whole_usage(counts)},
                {"prompt_logprobs", nullptr},
                {"prompt_token_ids", nullptr},
                {"prompt_text", nullptr},
                {"kv_transfer_params", nullptr},
                {"ec_transfer_params", nullptr},
                {"metrics", nullptr}}
        .dump();
  }

 private:
  static Json details(const CacheCounts& counts) {
    return {{"cached_tokens", counts.cached}, {"created_cache_tokens", counts.written}};
  }

  Json whole_usage(const CacheCounts& counts) const {
    auto usage = plain_usage(head_.prompt_tokens, reply_.size());
    auto& prompt = usage["prompt_tokens_details"] = head_.cache_details ? details(counts) : Json();
    if (head_.cache_details) prompt["multimodal_tokens"] = nullptr;
    usage["completion_tokens_details"] = nullptr;
    return usage;
  }

  std::string fingerprint() const {
    return R"(,"system_fingerprint":)" + wire::json_string(head_.fingerprint);
  }
  std::string last_tail() const { return head_.include_usage ? "" : fingerprint(); }
  std::string last_choice() const {
    return fmt::format(R"("{}","stop_reason":null,"token_ids":null)", finish_name(reply_.finish));
  }

  Json message() const {
    Json content;
    Json calls = Json::array();
    for (const auto& part : reply_.parts) {
      if (part.part.kind == Part::Kind::text) content = part.part.text;
      if (part.part.kind == Part::Kind::tool_call) {
        calls.push_back({{"id", part.id},
                         {"type", "function"},
                         {"function", {{"name", part.part.name}, {"arguments", part.part.text}}}});
      }
    }
    Json message{{"role", "assistant"}, {"content", std::move(content)},
                 {"refusal", nullptr},  {"annotations", nullptr},
                 {"audio", nullptr},    {"function_call", nullptr}};
    if (!calls.empty()) message["tool_calls"] = std::move(calls);
    message["reasoning"] = nullptr;
    return message;
  }

  // The role comes with the first token, as on the engine: nothing is sent during the prefill.
  std::string opening() {
    if (std::exchange(opened_, true)) return {};
    std::string out;
    append_chunk(out, R"({"role":"assistant","content":""})", "null", 0,
                 R"(,"prompt_token_ids":null,"prompt_text":null)");
    return out;
  }

  std::string delta_json(const Delta& delta) {
    const auto text = wire::json_string(delta.text);
    if (delta.part->part.kind == Part::Kind::text) return R"({"content":)" + text + "}";
    return fmt::format(
        R"({{"tool_calls":[{{"id":{},"type":"function","index":{},"function":{{"name":{},"arguments":{}}}}}]}})",
        wire::json_string(delta.part->id), calls_sent_++, wire::json_string(delta.part->part.name), text);
  }

  void append_chunk(std::string& out, std::string_view delta, std::string_view finish, int generated,
                    std::string_view tail) const {
    out += prefix_;
    out += R"({"index":0,"delta":)";
    out += delta;
    out += R"(,"logprobs":null,"finish_reason":)";
    out += finish;
    out += "}]";
    if (head_.continuous_usage_stats) {
      auto usage = plain_usage(head_.prompt_tokens, generated);
      usage["completion_tokens_details"] = nullptr;
      out += R"(,"usage":)" + usage.dump();
    }
    out += tail;
    out += "}\n\n";
  }

  AnswerHead head_;
  const Reply& reply_;
  ReplyCursor cursor_;
  std::string prefix_;
  bool opened_ = false;
  int calls_sent_ = 0;
};

}  // namespace

std::unique_ptr<Answer> make_chat_answer(AnswerHead head, const Reply& reply) {
  return std::make_unique<ChatAnswer>(std::move(head), reply);
}

}  // namespace lmw::simulator
