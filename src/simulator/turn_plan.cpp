#include <fmt/format.h>

#include "simulator/generate.hpp"
#include "simulator/request.hpp"
#include "simulator/turn.hpp"

namespace lmw::simulator {

namespace {
using wire::Endpoint;

AnswerHead answer_head(const SimulatorOptions& options, const TurnRequest& request, const TurnNaming& naming,
                       const std::vector<Generation>& generations) {
  AnswerHead head{request.id.empty() ? naming.id : request.id, options.model, naming.created,
                  fingerprint(options)};
  for (const auto& generation : generations) head.prompt_tokens += static_cast<int>(generation.prompt.size());
  head.include_usage = request.include_usage;
  head.continuous_usage_stats = request.continuous_usage_stats;
  head.cache_details = options.prompt_tokens_details;
  if (request.endpoint != Endpoint::responses) return head;
  head.max_output_tokens = granted_tokens(options, request, head.prompt_tokens).value_or(0);
  head.repeated = request.repeated;
  return head;
}

std::unique_ptr<Answer> make_answer(Endpoint endpoint, AnswerHead head,
                                    const std::vector<Generation>& generations, Random& ids) {
  const auto& reply = generations.front().reply;
  switch (endpoint) {
    case Endpoint::messages:
      return make_messages_answer(std::move(head), reply);
    case Endpoint::responses:
      return make_responses_answer(std::move(head), reply, ids);
    case Endpoint::completions:
      return make_completions_answer(std::move(head), generations);
    default:
      return make_chat_answer(std::move(head), reply);
  }
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
                                            Endpoint endpoint, const TurnNaming& naming) {
  const auto request = parse_turn(body, endpoint);
  if (!request) return std::unexpected(request.error());
  if (auto error = check_model(options, request->model)) return std::unexpected(std::move(*error));
  auto generations = generate(options, *request, *naming.ids);
  if (!generations) return std::unexpected(std::move(generations.error()));

  TurnPlan plan;
  plan.family = wire::route_of(endpoint).family;
  plan.stream = request->stream;
  plan.generations = std::move(*generations);
  plan.answer = make_answer(endpoint, answer_head(options, *request, naming, plan.generations),
                            plan.generations, *naming.ids);
  return plan;
}

}  // namespace lmw::simulator
