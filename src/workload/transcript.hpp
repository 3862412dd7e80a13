// One conversation as its client holds it: what was asked, in the words of the session's content, and the
// answers that really came.
#pragma once

#include <string>
#include <vector>

#include "workload/session.hpp"
#include "workload/words.hpp"

namespace lmw::workload {

class Transcript {
 public:
  struct Message {
    bool from_user = true;
    std::string text;
    int end = 0;  // token of the conversation that it ends before
  };

  // The words must outlive it.
  Transcript(const Words& words, int system_tokens) : words_(words), system_tokens_(system_tokens) {}

  // A turn is about to be sent: its new text is the last message from now on. What its content doesn't have
  // in common with the turn before is forgotten, as by a client that compacts or rewinds.
  void ask(const Turn& turn);
  void answered(std::string text);

  const std::string& system() const { return system_; }  // "" = none
  const std::vector<Message>& messages() const { return messages_; }

 private:
  void forget_from(int token);

  const Words& words_;
  int system_tokens_;
  std::string system_;
  std::vector<Message> messages_;
  std::vector<BlockRun> content_;  // of the last turn
  int end_ = 0;                    // of its output
};

}  // namespace lmw::workload
