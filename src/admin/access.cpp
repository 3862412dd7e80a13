#include "admin/access.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>

namespace lmw::admin {

namespace {

constexpr std::string_view cookie_name = "lmwarden_admin";

// Takes as long for a wrong text as for the right one of the same length.
bool is_same(std::string_view given, std::string_view secret) {
  unsigned char difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size() && !secret.empty(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]);
  return difference == 0;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> cookie_of(const wire::RequestHead& head) {
  auto rest = head.headers.find("Cookie").value_or("");
  while (!rest.empty()) {
    const auto end = std::min(rest.find(';'), rest.size());
    const auto pair = trimmed(rest.substr(0, end));
    const auto equals = pair.find('=');
    if (pair.substr(0, equals) == cookie_name && equals != std::string_view::npos)
      return pair.substr(equals + 1);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

std::optional<std::string_view> bearer_of(const wire::RequestHead& head) {
  constexpr std::string_view scheme = "Bearer ";
  const auto value = head.headers.find("Authorization").value_or("");
  if (!wire::equal_ignoring_case(value.substr(0, scheme.size()), scheme)) return std::nullopt;
  return trimmed(value.substr(scheme.size()));
}

}  // namespace

Access::Verdict Access::check(const wire::RequestHead& head, Time now) {
  if (token_.empty()) return Verdict::allowed;
  // A guess at the cookie is one at 128 bits: it needs no waiting.
  if (const auto cookie = cookie_of(head); cookie && is_same(*cookie, session_)) return Verdict::allowed;
  if (const auto token = bearer_of(head)) return check_token(*token, now);
  return Verdict::denied;
}

Access::Verdict Access::check_token(std::string_view token, Time now) {
  if (now < next_) return Verdict::wait;
  if (is_same(token, token_)) {
    wrong_ = 0;
    return Verdict::allowed;
  }
  if (++wrong_ >= free_attempts) {
    const int doublings = std::min(wrong_ - free_attempts, 6);
    next_ = now + std::min(std::chrono::seconds(1 << doublings), longest_wait);
  }
  return Verdict::denied;
}

std::string Access::cookie() const {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name, session_);
}

int Access::wait(Time now) const {
  return static_cast<int>(
      std::max<std::chrono::seconds::rep>(1, std::chrono::ceil<std::chrono::seconds>(next_ - now).count()));
}

bool is_own_change(const wire::RequestHead& head) {
  const auto type = head.headers.find("Content-Type").value_or("");
  if (!wire::equal_ignoring_case(trimmed(type.substr(0, type.find(';'))), "application/json")) return false;
  const auto origin = head.headers.find("Origin");
  if (!origin) return true;
  const auto scheme = origin->find("://");
  return scheme != std::string_view::npos &&
         wire::equal_ignoring_case(origin->substr(scheme + 3), head.headers.find("Host").value_or(""));
}

std::string random_session() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace lmw::admin
