// Who may use the admin side: everybody who reaches it where no token is set, else those who show the token
// (Authorization: Bearer) or the cookie that they were given for it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "wire/http_message.hpp"

namespace lmw::admin {

class Access {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Wrong tokens, whoever sends them, before the next ones must wait: 1 s, then twice as long each time.
  static constexpr int free_attempts = 5;
  static constexpr std::chrono::seconds longest_wait{60};

  // `token`: "" = none is needed. `session`: what the cookie holds, a secret of this process.
  Access(std::string token, std::string session) : token_(std::move(token)), session_(std::move(session)) {}

  enum class Verdict { allowed, denied, wait };
  Verdict check(const wire::RequestHead& head, Time now);
  Verdict check_token(std::string_view token, Time now);

  // The Set-Cookie of one who has shown the token.
  std::string cookie() const;
  // Seconds until the next token is looked at.
  int wait(Time now) const;

 private:
  std::string token_;
  std::string session_;
  int wrong_ = 0;
  Time next_{};
};

// A change that a page of another site could not have sent: its body is declared as JSON, for which browsers
// ask first and are refused, and its Origin, where there is one, is this host.
bool is_own_change(const wire::RequestHead& head);

// 128 random bits, in hex.
std::string random_session();

}  // namespace lmw::admin
