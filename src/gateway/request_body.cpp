#include "gateway/request_body.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "wire/content_coding.hpp"
#include "wire/peek.hpp"

namespace lmw::gateway {

namespace {

net::awaitable<std::expected<std::string, Refusal>> decode(std::vector<wire::Coding> codings,
                                                           std::string body, std::uint64_t limit) {
  wire::BodyDecoder decoder(std::move(codings), std::move(body), limit);
  while (true) {
    const auto done = decoder.step();
    if (!done) co_return std::unexpected(refusal_of(done.error(), limit));
    if (*done) break;
    co_await net::asio::post(net::asio::use_awaitable);
  }
  auto plain = decoder.take();
  plain.reserve(plain.size() + wire::padding);
  co_return plain;
}

}  // namespace

net::awaitable<std::expected<std::string, std::optional<Refusal>>> read_request_body(
    net::ServerConnection& client, wire::RequestHead& head, const config::Config& config) {
  const auto limit = config.limits.body_bytes;
  std::optional codings = std::vector<wire::Coding>();
  if (config.edits.decode_requests) codings = wire::content_codings(head.headers);
  if (!codings) co_return std::unexpected(unsupported_coding());
  auto body = co_await client.read_body();
  if (!body) {
    if (body.error() == net::RequestFault::gone) co_return std::unexpected(std::nullopt);
    co_return std::unexpected(refusal_of(body.error(), limit));
  }
  if (codings->empty()) co_return std::move(*body);
  auto plain = co_await decode(std::move(*codings), std::move(*body), limit);
  if (!plain) co_return std::unexpected(std::move(plain.error()));
  head.headers.remove("Content-Encoding");
  co_return std::move(*plain);
}

}  // namespace lmw::gateway
