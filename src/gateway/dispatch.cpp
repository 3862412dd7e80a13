#include "gateway/dispatch.hpp"

#include <fmt/format.h>

namespace lmw::gateway {

namespace {

// An answer that came before our request was read whole is already here.
constexpr auto early_answer = std::chrono::seconds(1);

// One exchange on one connection, up to the answer's head.
net::awaitable<std::expected<wire::ResponseHead, net::UpstreamFault>> attempt(
    net::ClientConnection& connection, const wire::RequestHead& head, const TurnRequest& request,
    net::Timeout timeout) {
  const auto pieces = request.edits.pieces(request.body);
  const auto sent = co_await connection.send(head, pieces, timeout);
  if (sent) co_return co_await connection.read_head(timeout);
  // It may have refused the request by its head, and closed without reading the rest.
  if (sent.error() == net::UpstreamFault::closed) {
    if (auto early = co_await connection.read_head(early_answer)) co_return std::move(*early);
  }
  co_return std::unexpected(sent.error());
}

struct NoAnswer {
  net::UpstreamFault fault;
  bool begun = false;  // bytes of an answer had come: the engine has worked on it
};

// On an idle connection if there is one. That one may just be closing: then once more, on a fresh one.
net::awaitable<std::expected<Answer, NoAnswer>> ask(Backend& backend, const wire::RequestHead& head,
                                                    const TurnRequest& request, net::Timeout timeout) {
  auto lease = co_await backend.connections.acquire();
  while (true) {
    if (!lease) co_return std::unexpected(NoAnswer{lease.error()});
    auto answer = co_await attempt(*lease->connection, head, request, timeout);
    if (answer) co_return Answer{std::move(lease->connection), std::move(*answer)};
    const bool begun = lease->connection->answered();
    const bool was_closing = answer.error() == net::UpstreamFault::closed && lease->reused && !begun;
    if (!was_closing) co_return std::unexpected(NoAnswer{answer.error(), begun});
    lease = co_await backend.connections.connect();
  }
}

// A client that leaves cancels what is under way for it: that it failed then says nothing about the engine.
void throw_if_cancelled(const net::asio::cancellation_state& state) {
  if (state.cancelled() == net::asio::cancellation_type::none) return;
  throw boost::system::system_error(net::asio::error::operation_aborted);
}

Refusal refusal_of(net::UpstreamFault fault, bool up) {
  if (!up) return {wire::ErrorKind::unavailable, "the engine is down; LM Warden keeps looking for it"};
  return {wire::ErrorKind::upstream, fmt::format("the engine {}", describe(fault))};
}

}  // namespace

net::awaitable<std::expected<Answer, Refusal>> dispatch(TurnRequest& request, Destination& destination,
                                                        DispatchOptions options) {
  while (true) {
    auto& backend = destination.backend();
    const auto head = upstream_head(request, backend.connections.origin(), destination.rank());
    auto answer = co_await ask(backend, head, request, options.first_byte);
    if (answer) {
      std::string().swap(request.body);  // an assignment would keep its memory
      if (answer->head.status >= 500) backend.monitor->suspect();
      co_return std::move(*answer);
    }
    throw_if_cancelled(co_await net::asio::this_coro::cancellation_state);
    const auto [fault, begun] = answer.error();
    bool up = true;
    if (fault == net::UpstreamFault::refused) {
      backend.monitor->report_refused();
      up = false;
    } else if (fault == net::UpstreamFault::unreachable || (fault == net::UpstreamFault::closed && !begun)) {
      up = co_await backend.monitor->check();
    }
    if (up || !destination.move(options.clock.now())) co_return std::unexpected(refusal_of(fault, up));
  }
}

}  // namespace lmw::gateway
