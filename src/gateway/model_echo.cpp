#include "gateway/model_echo.hpp"

#include "wire/peek.hpp"
#include "wire/splice.hpp"

namespace lmw::gateway {

void echo_in_event(std::string& out, std::size_t begin, std::string_view upstream, std::string_view asked) {
  constexpr std::string_view key = "\"model\":";
  const auto value = wire::json_string(upstream);
  auto at = out.find(key, begin);
  if (at == std::string::npos) return;
  at += key.size();
  if (at < out.size() && out[at] == ' ') ++at;
  if (out.compare(at, value.size(), value) == 0) out.replace(at, value.size(), wire::json_string(asked));
}

void echo_in_body(std::string& body, std::string_view upstream, std::string_view asked) {
  body.reserve(body.size() + wire::padding);
  const auto peek = wire::peek(body);
  if (!peek || peek->model != upstream) return;
  const auto [begin, end] = peek->model_value;
  body.replace(begin, end - begin, wire::json_string(asked));
}

}  // namespace lmw::gateway
