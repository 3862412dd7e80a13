#include "workload/transcript.hpp"

#include <algorithm>

namespace lmw::workload {

void Transcript::ask(const Turn& turn) {
  const int common = count_common_blocks(content_, turn.content);
  const bool goes_on = common == count_blocks(content_);
  forget_from(std::min(goes_on ? end_ : common * words_.block_size(), turn.prompt_tokens - 1));
  if (messages_.empty()) system_ = words_.text(turn.content, 0, system_tokens_);
  const int begin = messages_.empty() ? system_tokens_ : messages_.back().end;
  const int end = std::max(begin + 1, turn.prompt_tokens);
  messages_.push_back({.from_user = true, .text = words_.text(turn.content, begin, end), .end = end});
  content_ = turn.content;
  end_ = end + turn.output_tokens;
}

// What is kept ends with an answer.
void Transcript::forget_from(int token) {
  while (!messages_.empty() && (messages_.back().end > token || messages_.back().from_user))
    messages_.pop_back();
}

void Transcript::answered(std::string text) {
  if (text.empty()) text = "…";  // engines refuse a message without content
  messages_.push_back({.from_user = false, .text = std::move(text), .end = end_});
}

}  // namespace lmw::workload
