#include "simulator/generate.hpp"

#include <algorithm>
#include <utility>

#include "simulator/prompt.hpp"

namespace lmw::simulator {

namespace {
using replica::Token;
using wire::Endpoint;

// Of a request that names no limit. vLLM has 16 for completions, and all that is left of the context
// elsewhere, of which a model that stops by itself uses little.
std::int64_t default_limit(Endpoint endpoint) { return endpoint == Endpoint::completions ? 16 : 256; }

std::uint64_t hash_of(const std::vector<Token>& tokens) {
  std::uint64_t hash = tokens.size();
  for (const auto token : tokens) hash = mix64(hash ^ token) + 0x9e3779b97f4a7c15ULL;
  return hash;
}

// Equal prompts get equal replies, as from a model at temperature 0: a retry repeats, and two runs can be
// compared.
Reply compose(const SimulatorOptions& options, const TurnRequest& request, const Conversation& conversation,
              const std::vector<Token>& prompt, std::int64_t limit, Random& ids) {
  const auto* scripted = options.script ? options.script->reply_to(conversation) : nullptr;
  if (scripted) return scripted_reply(*scripted, request.endpoint, ids);
  Random random(options.seed ^ hash_of(prompt));
  return random_reply(draw_length(limit, request.ignore_eos, random), random);
}

std::expected<Generation, ApiError> generate_one(const SimulatorOptions& options, const TurnRequest& request,
                                                 const Conversation& conversation, std::vector<Token> prompt,
                                                 Random& ids) {
  const auto size = static_cast<std::int64_t>(prompt.size());
  const auto granted = granted_tokens(options, request, size);
  if (!granted) return std::unexpected(granted.error());
  const auto limit = std::min(*granted, request.max_tokens.value_or(default_limit(request.endpoint)));
  auto reply = compose(options, request, conversation, prompt, limit, ids);
  const auto context = max_request_tokens(options.profile);
  if (size + reply.size() > context) return std::unexpected(prompt_too_long(context));
  return Generation{std::move(prompt), std::move(reply)};
}

// A script sees the text that a completion goes on from as a user's message.
std::pair<Conversation, std::vector<Token>> read_prompt(const RawPrompt& raw) {
  std::pair<Conversation, std::vector<Token>> read;
  if (const auto* text = std::get_if<std::string>(&raw)) {
    read.first.messages.push_back({"user", {{Part::Kind::text, *text, ""}}});
    replica::append_tokens(*text, read.second);
  } else {
    read.second = std::get<std::vector<Token>>(raw);
  }
  return read;
}

}  // namespace

std::expected<std::int64_t, ApiError> granted_tokens(const SimulatorOptions& options,
                                                     const TurnRequest& request, std::int64_t prompt) {
  const auto context = max_request_tokens(options.profile);
  if (prompt > context) return std::unexpected(prompt_too_long(context));
  const auto asked = request.max_tokens.value_or(context);
  if (asked > context) return std::unexpected(output_too_long(request.max_tokens_name, asked, context));
  const auto granted = std::min(asked, context - prompt);
  if (granted < 1) return std::unexpected(output_too_short(granted));
  return granted;
}

std::expected<std::vector<Generation>, ApiError> generate(const SimulatorOptions& options,
                                                          const TurnRequest& request, Random& ids) {
  std::vector<Generation> generations;
  const auto add = [&](const Conversation& conversation,
                       std::vector<Token> prompt) -> std::optional<ApiError> {
    auto made = generate_one(options, request, conversation, std::move(prompt), ids);
    if (!made) return std::move(made.error());
    generations.push_back(std::move(*made));
    return std::nullopt;
  };
  if (request.endpoint != Endpoint::completions) {
    if (request.conversation.empty()) return std::unexpected(empty_conversation());
    if (auto error = add(request.conversation, render_prompt(request.conversation)))
      return std::unexpected(std::move(*error));
  }
  for (const auto& raw : request.prompts) {
    auto [conversation, prompt] = read_prompt(raw);
    if (auto error = add(conversation, std::move(prompt))) return std::unexpected(std::move(*error));
  }
  return generations;
}

}  // namespace lmw::simulator
