// An engine for tests: answers on a port of its own, as it is told.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/discovery.hpp"
#include "net/server.hpp"

namespace lmw::engine {

struct FakeRank {
  std::string label;
  std::string kv_used = "0.5";
  long queries = 1000;
  long hits = 500;
};

// Of a page with these ranks.
inline std::string fake_metrics(const std::vector<FakeRank>& ranks, const std::string& start_time = "") {
  std::string page = start_time.empty() ? "" : "process_start_time_seconds " + start_time + "\n";
  for (const auto& rank : ranks) {
    const auto line = [&](std::string_view name, const auto& value, std::string_view more = "") {
      page += fmt::format("vllm:{}{{engine=\"{}\"{}}} {}\n", name, rank.label, more, value);
    };
    line("num_requests_running", 2);
    line("num_requests_waiting", 1);
    line("kv_cache_usage_perc", rank.kv_used);
    line("prefix_cache_queries_total", rank.queries);
    line("prefix_cache_hits_total", rank.hits);
    line("cache_config_info", 1,
         R"(,kv_cache_size_tokens="4096",block_size="16",enable_prefix_caching="True")");
  }
  return page;
}

class FakeEngine {
 public:
  struct Answer {
    int status = 200;
    std::string body;
    bool hang = false;  // never answers
  };
  struct Request {
    wire::RequestHead head;
    std::string body;
  };

  explicit FakeEngine(net::asio::io_context& context) : context_(context) {
    answers["/health"] = {};
    answers["/version"] = {.body = R"({"version":"0.32.0"})"};
    answers["/v1/models"] = {
        .body = R"({"object":"list","data":[{"id":"base","max_model_len":8192,"parent":null}]})"};
    answers["/metrics"] = {.body = fake_metrics({{"0"}, {"1"}})};
    come_back();
  }

  // By path; others are answered 404.
  std::map<std::string, Answer> answers;
  std::vector<Request> requests;
  int hanging = 0;  // requests that wait for an answer that never comes

  std::size_t served(std::string_view path) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(requests, [&](const Request& request) { return request.head.path() == path; }));
  }
  Access access() const { return {.origin = {"127.0.0.1", port_, ""}}; }

  // Its port refuses connections until it comes back on the same port.
  void go_away() { servers_.back()->stop(); }
  void come_back() {
    auto server = net::Server::listen(
        context_, {"127.0.0.1", port_}, {},
        [this](auto& connection, auto head) { return answer(connection, std::move(head)); });
    servers_.push_back(std::move(server).value());
    port_ = servers_.back()->port();
    servers_.back()->start();
  }

 private:
  net::awaitable<void> answer(net::ServerConnection& connection, wire::RequestHead head) {
    const std::string path(head.path());
    auto body = co_await connection.read_body();
    requests.push_back({std::move(head), body.value_or("")});
    const auto found = answers.find(path);
    const Answer reply = found == answers.end() ? Answer{.status = 404} : found->second;
    if (reply.hang) {
      ++hanging;
      co_await connection.until_gone();
      --hanging;
      co_return;
    }
    wire::ResponseHead response;
    response.status = reply.status;
    co_await connection.respond(std::move(response), reply.body);
  }

  net::asio::io_context& context_;
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<net::Server>> servers_;  // those of the past must outlive the io_context's run
};

}  // namespace lmw::engine
