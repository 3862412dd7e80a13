#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "simulator/answer.hpp"
#include "simulator/answer_json.hpp"
#include "wire/splice.hpp"

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

class CompletionsAnswer final : public Answer {
 public:
  CompletionsAnswer(AnswerHead head, std::span<const Generation> generations)
      : head_(std::move(head)), generations_(generations) {
    for (const auto& generation : generations_) cursors_.emplace_back(generation.reply);
    prefix_ = fmt::format(R"(data: {{"id":{},"object":"text_completion","created":{},"model":{},"choices":[)",
                          wire::json_string(head_.id), head_.created, wire::json_string(head_.model));
  }

  std::string events(Progress progress) override {
    const auto& generation = generations_[static_cast<std::size_t>(progress.choice)];
    const bool ends = progress.generated >= generation.reply.size();
    std::string out;
    // A completion is one text, so what has come is one piece.
    const auto delta = cursors_[static_cast<std::size_t>(progress.choice)].next(progress.generated);
    if (!delta) return out;
    out = prefix_ +
          fmt::format(R"({{"index":{},"text":{},"logprobs":null,"finish_reason":{},"stop_reason":null,)"
                      R"("prompt_token_ids":null,"token_ids":null}}])",
                      progress.choice, wire::json_string(delta->text),
                      ends ? fmt::format("\"{}\"", finish_name(generation.reply.finish)) : "null");
    if (head_.continuous_usage_stats) {
      out +=
          R"(,"usage":)" + plain_usage(static_cast<int>(generation.prompt.size()), progress.generated).dump();
    }
    if (ends && !head_.include_usage) out += fingerprint();
    return out + "}\n\n";
  }

  std::string end(const CacheCounts& counts) override {
    std::string out;
    if (head_.include_usage) {
      auto usage = plain_usage(head_.prompt_tokens, generated());
      if (head_.cache_details) usage["prompt_tokens_details"] = {{"cached_tokens", counts.cached}};
      out = prefix_ + R"(],"usage":)" + usage.dump() + fingerprint() + "}\n\n";
    }
    return out + "data: [DONE]\n\n";
  }

  std::string whole(const CacheCounts& counts) const override {
    Json choices = Json::array();
    for (const auto& generation : generations_) choices.push_back(choice(generation.reply, choices.size()));
    auto usage = plain_usage(head_.prompt_tokens, generated());
    usage["prompt_tokens_details"] = nullptr;
    if (head_.cache_details) {
      usage["prompt_tokens_details"] = {{"cached_tokens", counts.cached},
                                        {"created_cache_tokens", nullptr},
                                        {"multimodal_tokens", nullptr}};
    }
    usage["completion_tokens_details"] = nullptr;
    return Json{{"id", head_.id},
                {"object", "text_completion"},
                {"created", head_.created},
                {"model", head_.model},
                {"choices", std::move(choices)},
                {"service_tier", nullptr},
                {"system_fingerprint", head_.fingerprint},
                {"usage", std::move(usage)},
                {"kv_transfer_params", nullptr},
                {"ec_transfer_params", nullptr},
                {"metrics", nullptr}}
        .dump();
  }

 private:
  static Json choice(const Reply& reply, std::size_t index) {
    return {{"index", index},
            {"text", reply.parts.front().part.text},
            {"logprobs", nullptr},
            {"finish_reason", finish_name(reply.finish)},
            {"stop_reason", nullptr},
            {"token_ids", nullptr},
            {"prompt_logprobs", nullptr},
            {"prompt_token_ids", nullptr},
            {"routed_experts", nullptr}};
  }

  int generated() const {
    int tokens = 0;
    for (const auto& generation : generations_) tokens += generation.reply.size();
    return tokens;
  }

  std::string fingerprint() const {
    return R"(,"system_fingerprint":)" + wire::json_string(head_.fingerprint);
  }

  AnswerHead head_;
  std::span<const Generation> generations_;
  std::vector<ReplyCursor> cursors_;
  std::string prefix_;
};

}  // namespace

std::unique_ptr<Answer> make_completions_answer(AnswerHead head, std::span<const Generation> generations) {
  return std::make_unique<CompletionsAnswer>(std::move(head), generations);
}

}  // namespace lmw::simulator
