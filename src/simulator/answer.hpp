// Writes a reply in the shapes of its endpoint, as vLLM 0.32 does, streamed or whole.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "simulator/reply.hpp"

namespace lmw::simulator {

struct AnswerHead {
  std::string id;
  std::string model;
  std::int64_t created = 0;  // unix seconds
  std::string fingerprint;   // chat and completions
  int prompt_tokens = 0;     // of all prompts
  bool include_usage = false;
  bool continuous_usage_stats = false;
  bool cache_details = true;           // --enable-prompt-tokens-details; responses have them always
  std::int64_t max_output_tokens = 0;  // responses: as granted
  std::string repeated = {};           // responses: repeated_members() of the request
};

// Known when the turn has ended.
struct CacheCounts {
  int cached = 0;   // prompt tokens found in the cache
  int written = 0;  // tokens of the prompt's full blocks that this turn wrote
};

// How far a choice has come. Only completions of several prompts have more than one choice.
struct Progress {
  int generated = 0;  // tokens
  int choice = 0;
};

class Answer {
 public:
  virtual ~Answer() = default;

  // The events that come before the prefill.
  virtual std::string begin() { return {}; }
  // The events that this progress allows; "" when nothing is new. Several tokens may share an event.
  virtual std::string events(Progress progress) = 0;
  // What follows when all tokens have been given to events().
  virtual std::string end(const CacheCounts& counts) = 0;
  // The answer to a request that asked for no stream.
  virtual std::string whole(const CacheCounts& counts) const = 0;
};

// The reply must outlive the answer.
std::unique_ptr<Answer> make_chat_answer(AnswerHead head, const Reply& reply);
std::unique_ptr<Answer> make_messages_answer(AnswerHead head, const Reply& reply);
// Ids of items are drawn from `ids`.
std::unique_ptr<Answer> make_responses_answer(AnswerHead head, const Reply& reply, Random& ids);
// One choice a generation.
std::unique_ptr<Answer> make_completions_answer(AnswerHead head, std::span<const Generation> generations);

}  // namespace lmw::simulator
