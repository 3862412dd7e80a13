#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "simulator/answer.hpp"
#include "wire/splice.hpp"

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

std::string_view finish_name(Finish finish) {
  switch (finish) {
    case Finish::length:
      return "length";
    case Finish::tool_calls:
      return "tool_calls";
    case Finish::stop:
      break;
  }
  return "stop";
}

class ChatAnswer final : public Answer {
 public:
  ChatAnswer(AnswerHead head, const Reply& reply) : head_(std::move(head)), reply_(reply), cursor_(reply) {
    prefix_ =
        fmt::format(R"(data: {{"id":{},"object":"chat.completion.chunk","created":{},"model":{},"choices":[)",
                    wire::json_string(head_.id), head_.created, wire::json_string(head_.model));
  }

  std::string events(int generated) override {
    const int now = std::min(generated, reply_.size() - 1);
    std::string out = opening();
    while (const auto delta = cursor_.next(now)) {
      append_chunk(out, delta_json(*delta), R"(null,"token_ids":null)", now, "");
    }
    return out;
  }

  std::string finish(const std::optional<CacheCounts>& counts) override {
    std::string out = opening();
    const int all = reply_.size();
    const auto fingerprint = R"(,"system_fingerprint":)" + wire::json_string(head_.fingerprint);
    auto delta = cursor_.next(all);
    std::string last = delta ? delta_json(*delta) : R"({"content":""})";
    while (delta && (delta = cursor_.next(all))) {
      append_chunk(out, last, R"(null,"token_ids":null)", all, "");
      last = delta_json(*delta);
    }
    const auto reason =
        fmt::format(R"("{}","stop_reason":null,"token_ids":null)", finish_name(reply_.finish));
    append_chunk(out, last, reason, all, head_.include_usage ? "" : fingerprint);
    if (head_.include_usage) {
      auto usage = plain_usage(all);
      if (counts) usage["prompt_tokens_details"] = details(*counts);
      out += prefix_ + R"(],"usage":)" + usage.dump() + fingerprint + "}\n\n";
    }
    return out + "data: [DONE]\n\n";
  }

  std::string whole(const std::optional<CacheCounts>& counts) const override {
    auto usage = plain_usage(reply_.size());
    usage["prompt_tokens_details"] = counts ? details(*counts) : Json();
    Json choice{{"index", 0},
                {"message", message()},
                {"logprobs", nullptr},
                {"finish_reason", finish_name(reply_.finish)},
                {"stop_reason", nullptr},
                {"token_ids", nullptr}};
    return Json{{"id", head_.id},
                {"object", "chat.completion"},
                {"created", head_.created},
                {"model", head_.model},
                {"choices", Json::array({std::move(choice)})},
                {"service_tier", nullptr},
                {"system_fingerprint", head_.fingerprint},
                {"usage", std::move(usage)},
                {"prompt_logprobs", nullptr},
                {"prompt_token_ids", nullptr},
                {"kv_transfer_params", nullptr}}
        .dump();
  }

 private:
  Json plain_usage(int completion) const {
    return {{"prompt_tokens", head_.prompt_tokens},
            {"total_tokens", head_.prompt_tokens + completion},
            {"completion_tokens", completion}};
  }

  static Json details(const CacheCounts& counts) {
    return {{"cached_tokens", counts.cached}, {"created_cache_tokens", counts.written}};
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
    return {{"role", "assistant"},
            {"content", std::move(content)},
            {"refusal", nullptr},
            {"annotations", nullptr},
            {"audio", nullptr},
            {"function_call", nullptr},
            {"tool_calls", std::move(calls)},
            {"reasoning", nullptr}};
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
      auto usage = plain_usage(generated);
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
