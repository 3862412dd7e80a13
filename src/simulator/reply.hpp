// What the model says, decided before the first token: its text, and how it falls into tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "replica/tokens.hpp"
#include "simulator/conversation.hpp"
#include "wire/api.hpp"

namespace lmw::simulator {

enum class Finish { stop, length, tool_calls };

struct ReplyPart {
  Part part;       // text or tool_call
  std::string id;  // of a tool call
  int begin = 0;   // tokens [begin, end) of the reply
  int end = 0;
  std::vector<std::size_t> cuts;  // of a text: its bytes that are there after each of its tokens
};

struct Reply {
  std::vector<ReplyPart> parts;        // not empty
  std::vector<replica::Token> tokens;  // as the next turn's prompt will have them; not empty
  Finish finish = Finish::stop;

  int size() const { return static_cast<int>(tokens.size()); }
};

// One request to a replica and what comes of it.
struct Generation {
  std::vector<replica::Token> prompt;
  Reply reply;
};

// How many words a model without a script says: all that it may with probability 0.85 (always when it ignores
// its end token), else a uniform draw from 80 to 256.
struct Length {
  int tokens = 0;
  Finish finish = Finish::length;
};
Length draw_length(std::int64_t limit, bool ignore_eos, Random& random);

Reply random_reply(const Length& length, Random& random);

// The parts in order for /v1/messages. Chat and responses have all text first, as one, then the calls;
// completions have the text alone. Ids are drawn from `ids`.
Reply scripted_reply(const std::vector<Part>& parts, wire::Endpoint endpoint, Random& ids);

// A piece of a reply that can be sent.
struct Delta {
  const ReplyPart* part = nullptr;
  std::string_view text;  // of a text part; of a call: all its arguments
  bool opens = false;     // the part's first piece
  bool closes = false;    // its last
};

// Walks through a reply as its tokens come.
class ReplyCursor {
 public:
  explicit ReplyCursor(const Reply& reply) : reply_(reply) {}
  // The next piece that `generated` tokens allow. A text comes in as few pieces as possible, a call in one.
  std::optional<Delta> next(int generated);

 private:
  const Reply& reply_;
  std::size_t part_ = 0;
  std::size_t sent_ = 0;  // bytes of that part
  bool opened_ = false;
};

}  // namespace lmw::simulator
