#include <fmt/format.h>

#include "simulator/prompt.hpp"
#include "simulator/turn.hpp"

namespace lmw::simulator {

namespace {

std::uint64_t hash_of(const std::vector<replica::Token>& tokens) {
  std::uint64_t hash = tokens.size();
  for (const auto token : tokens) hash = mix64(hash ^ token) + 0x9e3779b97f4a7c15ULL;
  return hash;
}

ApiError too_long(std::size_t prompt, std::int64_t output, std::int64_t limit) {
  return bad_request(
      fmt::format("You passed {} input tokens and requested {} output tokens. However, the model's "
                  "context length is only {} tokens, resulting in a maximum input length of {} tokens. "
                  "Please reduce the length of the input prompt or the number of requested output "
                  "tokens.",
                  prompt, output, limit, limit - output),
      "input_tokens");
}

// Equal prompts get equal replies, as from a model at temperature 0: a retry repeats, and two runs can be
// compared.
Reply compose(const SimulatorOptions& options, const TurnRequest& request, const TurnPlan& plan,
              Random& ids) {
  const auto* scripted = options.script ? options.script->reply_to(request.conversation) : nullptr;
  if (scripted) return scripted_reply(*scripted, plan.family, ids);
  Random random(options.seed ^ hash_of(plan.prompt));
  return random_reply(draw_length(request.max_tokens, request.ignore_eos, random), random);
}

}  // namespace

std::string fingerprint(const SimulatorOptions& options) {
  std::uint64_t hash = options.seed;
  for (const char c : options.model + options.profile.name)
    hash = mix64(hash + static_cast<unsigned char>(c));
  const auto parallel = options.replicas > 1 ? fmt::format("-dp{}", options.replicas) : "";
  return fmt::format("vllm-{}{}-{:08x}", options.engine_version, parallel, hash >> 32);
}

std::expected<TurnPlan, ApiError> plan_turn(const SimulatorOptions& options, std::string_view body,
                                            wire::Family family, const TurnNaming& naming) {
  const auto request = parse_turn(body, family);
  if (!request) return std::unexpected(request.error());
  if (auto error = check_model(options, request->model)) return std::unexpected(std::move(*error));

  TurnPlan plan;
  plan.family = family;
  plan.stream = request->stream;
  plan.prompt = render_prompt(request->conversation);
  const auto limit = max_request_tokens(options.profile);
  // Checked before composing, since the request's limit is what a reply without a script may be long.
  const auto asked = request->max_tokens.value_or(1);
  const auto prompt = static_cast<std::int64_t>(plan.prompt.size());
  if (asked > limit || prompt + asked > limit)
    return std::unexpected(too_long(plan.prompt.size(), asked, limit));
  auto bounded = *request;
  if (!bounded.max_tokens && limit - prompt < 256) bounded.max_tokens = limit - prompt;
  plan.reply = std::make_unique<Reply>(compose(options, bounded, plan, *naming.ids));
  if (prompt + plan.reply->size() > limit)
    return std::unexpected(too_long(plan.prompt.size(), plan.reply->size(), limit));

  AnswerHead head{naming.id,
                  options.model,
                  naming.created,
                  fingerprint(options),
                  static_cast<int>(prompt),
                  request->include_usage,
                  request->continuous_usage_stats};
  plan.answer = family == wire::Family::openai ? make_chat_answer(std::move(head), *plan.reply)
                                               : make_messages_answer(std::move(head), *plan.reply);
  return plan;
}

}  // namespace lmw::simulator
