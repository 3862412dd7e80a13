#include "bench/agents.hpp"

#include <array>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "wire/sse.hpp"
#include "wire/usage.hpp"

namespace lmw::bench {

namespace {

using nlohmann::json;

// The replica model's HTTP face says where a request ran; real engines don't.
constexpr std::string_view replica_header = "X-Simulated-Replica";
constexpr auto patience = std::chrono::hours(1);
constexpr auto pause_after_failure = std::chrono::milliseconds(200);

// The text of the answer, from its events.
void append_text(const wire::SseEvent& event, std::string& text) {
  if (event.name != "content_block_delta") return;
  const auto data = json::parse(event.data, nullptr, false);
  if (data.is_object() && data.contains("delta")) text += data["delta"].value("text", "");
}

}  // namespace

struct Agents::Session {
  Session(const workload::SessionShape& shape, std::uint64_t seed, std::string_view salt)
      : script(shape, seed, salt),
        number(seed),
        id(fmt::format("{:08x}-0000-4000-8000-{:012x}", seed >> 32, seed & 0xffffffffffff)) {}

  workload::SyntheticSession script;
  std::uint64_t number;
  std::string id;
  json messages = json::array();
  std::string replica;  // where the last turn ran; "" = unknown
  int agent = 0;

  wire::RequestHead head(const Origin& target, std::size_t size) const {
    wire::RequestHead request{"POST", target.base_path + "/v1/messages?beta=true", 1, {}};
    request.headers.add("Host", target.authority());
    request.headers.add("Content-Type", "application/json");
    request.headers.add("User-Agent", "claude-cli/2.1.332 (external, cli)");
    request.headers.add("X-Claude-Code-Session-Id", id);
    request.headers.add("Content-Length", std::to_string(size));
    return request;
  }

  std::string body(const AgentsOptions& options, const std::string& system, int max_tokens) const {
    return json{{"model", options.model},
                {"max_tokens", max_tokens},
                {"stream", true},
                {"ignore_eos", true},
                {"system", json::array({{{"type", "text"}, {"text", system}}})},
                {"tools", json::array({{{"name", "Bash"}, {"input_schema", {{"type", "object"}}}}})},
                {"messages", messages}}
        .dump();
  }
};

Agents::Agents(net::asio::io_context& context, AgentsOptions options, const EngineClock& clock)
    : context_(context),
      options_(std::move(options)),
      clock_(clock),
      system_prompt_(workload::system_prompt(options_.shape, options_.salt)),
      open_(static_cast<std::size_t>(options_.agents)) {}

void Agents::start() {
  for (int i = 0; i < options_.agents; ++i) net::asio::co_spawn(context_, agent(i), net::asio::detached);
}

void Agents::stop() {
  stopping_ = true;
  for (auto* connection : open_) {
    if (connection) connection->close();
  }
}

net::awaitable<void> Agents::agent(int index) {
  ++running_;
  co_await sessions(index);
  --running_;
}

net::awaitable<void> Agents::sessions(int index) {
  std::uint64_t session_number = 0;
  while (!stopping_) {
    Session session(options_.shape, workload::session_seed(options_.seed, index, session_number++),
                    options_.salt);
    session.agent = index;
    while (!stopping_) {
      auto sample = co_await turn(session);
      if (stopping_) co_return;
      if (!sample.done) sample.done = clock_.now();
      samples_.push_back(sample);
      if (sample.failed) {
        net::asio::steady_timer pause(context_, pause_after_failure);
        co_await pause.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
      }
      if (sample.failed || sample.ends_session) break;
    }
  }
}

net::awaitable<report::Turn> Agents::turn(Session& session) {
  const auto next = session.script.next();
  session.messages.push_back({{"role", "user"}, {"content", next.new_user_text}});
  const auto body = session.body(options_, system_prompt_, next.max_tokens);
  report::Turn sample{.session = session.number,
                      .agent = session.agent,
                      .sent = clock_.now(),
                      .failed = true,
                      .ends_session = next.last};
  auto connection = co_await net::ClientConnection::connect(options_.target, std::chrono::seconds(5));
  if (!connection || stopping_) co_return sample;
  auto& open = open_[static_cast<std::size_t>(session.agent)];
  open = connection->get();
  const auto leave = [&](void*) { open = nullptr; };
  const std::unique_ptr<void, decltype(leave)> left(&open, leave);

  const std::array<std::string_view, 1> pieces{body};
  if (!co_await (*connection)->send(session.head(options_.target, body.size()), pieces, patience))
    co_return sample;
  const auto answer = co_await (*connection)->read_head(patience);
  if (!answer || answer->status != 200) co_return sample;
  const auto text = co_await read_answer(**connection, sample);

  const std::string replica(answer->headers.find(replica_header).value_or(""));
  if (next.index > 0 && !replica.empty()) sample.stayed = replica == session.replica;
  session.replica = replica;
  session.messages.push_back({{"role", "assistant"}, {"content", text}});
  co_return sample;
}

// Reads a stream to its end; what it said.
net::awaitable<std::string> Agents::read_answer(net::ClientConnection& connection, report::Turn& sample) {
  wire::SseSplitter splitter;
  wire::StreamWatch watch(wire::Endpoint::messages, false);
  std::string bytes, text;
  for (bool more = true; more;) {
    bytes.clear();
    more = (co_await connection.read_body(bytes, patience)).value_or(false);
    splitter.feed(bytes);
    while (const auto item = splitter.next()) {
      watch.observe(item->event);
      append_text(item->event, text);
    }
    if (watch.has_content() && !sample.first) sample.first = clock_.now();
  }
  sample.done = clock_.now();
  sample.failed = watch.end() != wire::StreamEnd::complete;
  const auto& usage = watch.usage();
  sample.prompt_tokens = static_cast<int>(usage.prompt.value_or(0));
  if (usage.prompt && usage.cached) sample.cached_tokens = static_cast<int>(*usage.cached);
  sample.output_tokens = static_cast<int>(usage.completion.value_or(0));
  co_return text;
}

}  // namespace lmw::bench
