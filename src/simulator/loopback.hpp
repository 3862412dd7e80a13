// For tests: a simulator and a client on one io_context, on a clock that runs a thousand times faster.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "net/fetch.hpp"
#include "simulator/simulator.hpp"

namespace lmw::simulator {

using Json = nlohmann::ordered_json;

struct Answered {
  int status = 0;  // 0: none came
  std::string type;
  std::string body;
  bool complete = false;
};

class Loopback : public testing::Test {
 protected:
  ~Loopback() override {
    if (!simulator_) return;
    // Whatever a test left behind, a stopped simulator must not keep the io_context busy.
    simulator_->stop();
    context_.restart();
    context_.run();
  }

  static SimulatorOptions small_engine() {
    SimulatorOptions options;
    options.listen = "127.0.0.1:0";
    options.profile = {
        .name = "test", .cost = {.base = 0.01, .prefill = 1e-4}, .slow = {}, .kv_tokens = 32768};
    options.profile.max_model_len = 8192;
    options.replicas = 2;
    options.model = "tiny";
    return options;
  }

  void start(SimulatorOptions options = small_engine()) {
    auto made = Simulator::start(context_, std::move(options), clock_);
    ASSERT_TRUE(made) << made.error().message;
    simulator_ = std::move(*made);
  }

  template <class T>
  T run(net::awaitable<T> work) {
    std::optional<T> result;
    net::asio::co_spawn(context_, std::move(work), [&](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    });
    context_.restart();
    while (!result) context_.run_one();
    return std::move(*result);
  }

  Answered ask(std::string method, std::string path, std::string body = "", wire::Headers headers = {}) {
    return run(exchange(std::move(method), std::move(path), std::move(body), std::move(headers)));
  }
  Answered chat(const Json& body, wire::Headers headers = {}) {
    return ask("POST", "/v1/chat/completions", body.dump(), std::move(headers));
  }
  Answered messages(const Json& body, wire::Headers headers = {}) {
    return ask("POST", "/v1/messages", body.dump(), std::move(headers));
  }
  Answered responses(const Json& body, wire::Headers headers = {}) {
    return ask("POST", "/v1/responses", body.dump(), std::move(headers));
  }
  Answered completions(const Json& body, wire::Headers headers = {}) {
    return ask("POST", "/v1/completions", body.dump(), std::move(headers));
  }
  // A turn of about `tokens` tokens at each endpoint that generates.
  std::vector<Answered> ask_all(bool stream, int tokens = 64) {
    std::vector<Answered> answers;
    for (const auto& [path, body] : {std::pair{"/v1/chat/completions", request(tokens)},
                                     {"/v1/messages", request(tokens)},
                                     {"/v1/responses", input(tokens)},
                                     {"/v1/completions", prompt("Once upon a time", tokens)}}) {
      auto asked = body;
      asked["stream"] = stream;
      answers.push_back(ask("POST", path, asked.dump()));
    }
    return answers;
  }
  Answered order(const Json& faults) { return ask("POST", "/sim/faults", faults.dump()); }

  // Of a line that starts with `sample` on the metrics page; "" when there is none.
  std::string metric(const std::string& sample) {
    const auto page = "\n" + ask("GET", "/metrics").body;
    const auto at = page.find("\n" + sample + " ");
    if (at == std::string::npos) return "";
    const auto value = at + sample.size() + 2;
    return page.substr(value, page.find('\n', value) - value);
  }

  static Json request(int max_tokens = 8) {
    return {{"model", "tiny"},
            {"max_tokens", max_tokens},
            {"messages", Json::array({{{"role", "user"}, {"content", std::string(400, 'x')}}})}};
  }
  static Json streamed(int max_tokens = 8) {
    auto json = request(max_tokens);
    json["stream"] = true;
    return json;
  }
  // Of responses.
  static Json input(int max_output_tokens = 8) {
    return {{"model", "tiny"},
            {"max_output_tokens", max_output_tokens},
            {"input", Json::array({{{"role", "user"}, {"content", std::string(400, 'x')}}})}};
  }
  // Of completions.
  static Json prompt(const Json& value, int max_tokens = 8) {
    return {{"model", "tiny"}, {"prompt", value}, {"max_tokens", max_tokens}, {"ignore_eos", true}};
  }
  static wire::Headers rank(std::string_view value) {
    wire::Headers headers;
    headers.add("X-data-parallel-rank", value);
    return headers;
  }

  net::awaitable<Answered> exchange(std::string method, std::string path, std::string body,
                                    wire::Headers headers) {
    Answered answered;
    auto connection = co_await net::ClientConnection::connect(*parse_origin(simulator_->url()), patience);
    if (!connection) co_return answered;
    wire::RequestHead head{std::move(method), std::move(path), 1, std::move(headers)};
    head.headers.add("Host", "sim");
    if (!head.headers.find("content-type")) head.headers.add("Content-Type", "application/json");
    head.headers.add("Content-Length", std::to_string(body.size()));
    const std::string_view piece = body;
    if (!co_await (*connection)->send(head, {&piece, 1}, patience)) co_return answered;
    const auto answer = co_await (*connection)->read_head(patience);
    if (!answer) co_return answered;
    answered.status = answer->status;
    answered.type = answer->headers.find("content-type").value_or("");
    if (head.method == "HEAD") co_return answered;
    while (true) {
      const auto more = co_await (*connection)->read_body(answered.body, patience);
      if (!more) co_return answered;
      if (!*more) break;
    }
    answered.complete = true;
    co_return answered;
  }

  static constexpr auto patience = std::chrono::seconds(20);
  net::asio::io_context context_;
  EngineClock clock_{1000};
  std::unique_ptr<Simulator> simulator_;
};

}  // namespace lmw::simulator
