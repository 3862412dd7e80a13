// Writes a reply in the shapes of its family, as vLLM 0.32 does, streamed or whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "simulator/reply.hpp"
#include "wire/api.hpp"

namespace lmw::simulator {

struct AnswerHead {
  std::string id;  // chatcmpl-..., in both families
  std::string model;
  std::int64_t created = 0;  // unix seconds
  std::string fingerprint;   // chat only
  int prompt_tokens = 0;
  bool include_usage = false;
  bool continuous_usage_stats = false;
};

// Known when the turn has ended.
struct CacheCounts {
  int cached = 0;   // prompt tokens found in the cache
  int written = 0;  // tokens of the prompt's full blocks that this turn wrote
};

class Answer {
 public:
  virtual ~Answer() = default;

  // The events that `generated` tokens allow, the opening ones before the first; "" when nothing is new.
  // Several tokens may share an event. The last token stays for finish().
  virtual std::string events(int generated) = 0;
  // All that is left, and how it ended. No counts: the engine runs without --enable-prompt-tokens-details.
  virtual std::string finish(const std::optional<CacheCounts>& counts) = 0;
  // The answer to a request that asked for no stream.
  virtual std::string whole(const std::optional<CacheCounts>& counts) const = 0;
};

// The reply must outlive the answer.
std::unique_ptr<Answer> make_chat_answer(AnswerHead head, const Reply& reply);
std::unique_ptr<Answer> make_messages_answer(AnswerHead head, const Reply& reply);

}  // namespace lmw::simulator
