#include "net/fetch.hpp"

#include <array>

#include <fmt/format.h>

#include "wire/peek.hpp"

namespace lmw::net {

awaitable<std::expected<Fetched, FetchError>> fetch(const Origin& origin, std::string_view path,
                                                    const FetchOptions& options) {
  const auto deadline = std::chrono::steady_clock::now() + options.timeout;
  const auto left = [&] {
    return std::max(Timeout(0), Timeout(deadline - std::chrono::steady_clock::now()));
  };
  const auto fail = [&](std::string_view why) {
    return std::unexpected(FetchError{{fmt::format("{} {}{}: {}", options.method, origin.url(), path, why)}});
  };

  const auto connection = co_await ClientConnection::connect(origin, left());
  if (!connection) {
    auto failed = fail(describe(connection.error())).error();
    failed.refused = connection.error() == UpstreamFault::refused;
    co_return std::unexpected(std::move(failed));
  }
  wire::RequestHead head{options.method, origin.base_path + std::string(path), 1, {}};
  head.headers.add("Host", origin.authority());
  head.headers.add("Connection", "close");
  for (const auto& [name, value] : options.headers) head.headers.add(name, value);
  if (!options.body.empty()) head.headers.set("Content-Length", std::to_string(options.body.size()));

  const std::array<std::string_view, 1> body{options.body};
  if (const auto sent = co_await (*connection)->send(head, body, left()); !sent)
    co_return fail(describe(sent.error()));
  auto answer = co_await (*connection)->read_head(left());
  if (!answer) co_return fail(describe(answer.error()));
  Fetched fetched{std::move(*answer), {}};
  while (true) {
    const auto more = co_await (*connection)->read_body(fetched.body, left());
    if (!more) co_return fail(describe(more.error()));
    if (fetched.body.size() > options.max_body) {
      co_return fail(fmt::format("the answer is larger than {} bytes", options.max_body));
    }
    if (!*more) break;
  }
  fetched.body.reserve(fetched.body.size() + wire::padding);
  co_return fetched;
}

}  // namespace lmw::net
