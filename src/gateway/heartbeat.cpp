#include "gateway/heartbeat.hpp"

#include "wire/ping.hpp"

namespace lmw::gateway {

namespace {

wire::ResponseHead stream_head() {
  wire::ResponseHead head;
  head.status = 200;
  head.headers.add("Content-Type", "text/event-stream; charset=utf-8");
  head.headers.add("Cache-Control", "no-cache");
  return head;
}

}  // namespace

struct Heartbeat::State {
  net::ServerConnection& client;
  wire::Family family;
  Silence silence;
  net::asio::steady_timer timer;
  bool between_events = true;
  bool is_all = false;

  void beat() {
    if (!between_events) return;
    const bool first = !client.is_answering();
    if (!client.has_begun()) client.begin(stream_head(), std::nullopt);
    const bool sent = client.write_now(wire::ping_event(family));  // one that takes nothing is not waiting
    if (first) is_all = sent;
  }
};

Heartbeat::Heartbeat(const net::asio::any_io_executor& executor, net::ServerConnection& client,
                     wire::Family family, net::Timeout interval)
    : state_(
          std::make_shared<State>(State{client, family, Silence(interval, std::chrono::steady_clock::now()),
                                        net::asio::steady_timer(executor)})) {
  arm(state_);
}

// Looks again when the silence would be too long had nothing come meanwhile: what passes on costs no timer.
void Heartbeat::arm(const std::shared_ptr<State>& state) {
  const auto due = state->silence.due();
  if (!due) return;
  state->timer.expires_at(*due);
  state->timer.async_wait([weak = std::weak_ptr(state)](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    const auto now = std::chrono::steady_clock::now();
    if (const auto lasts_until = self->silence.due(); lasts_until && now >= *lasts_until) {
      self->beat();
      self->silence.break_at(now);
    }
    arm(self);
  });
}

void Heartbeat::passing_on(bool between_events) {
  state_->is_all = false;
  state_->between_events = between_events;
  state_->silence.break_at(std::chrono::steady_clock::now());
}

void Heartbeat::stop() {
  state_->is_all = false;
  state_->silence.end();
}

bool Heartbeat::is_all() const { return state_->is_all; }

}  // namespace lmw::gateway
