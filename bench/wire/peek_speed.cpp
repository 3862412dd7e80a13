// How long it takes to look through a request's body: simdjson's index alone; reading it once, which finds
// its members; and peek() with its fingerprint. The last column is what comes on top of reading it once.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <simdjson.h>

#include "wire/peek.hpp"

namespace {

// A conversation of so many turns as Claude Code sends it: tool calls, and results of 3,000 bytes.
std::string body_of(int turns) {
  std::string text(3000, 'x');
  for (std::size_t i = 0; i < text.size(); i += 7) text[i] = ' ';
  std::string body =
      R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"fix the parser"}]})";
  for (int turn = 0; turn < turns; ++turn) {
    body += fmt::format(
        R"(,{{"role":"assistant","content":[{{"type":"tool_use","id":"t{0}","name":"Bash","input":{{"command":"ls"}}}}]}})"
        R"(,{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{0}","content":"{1}"}}]}})",
        turn, text);
  }
  return body + R"(],"system":[{"type":"text","text":")" + text + R"("}],"stream":true})";
}

// The shortest of many runs, in microseconds.
template <class Run>
double shortest(Run run) {
  double best = 1e9;
  for (int i = 0; i < 500; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

int main() {
  fmt::print("{:>10} {:>10} {:>10} {:>10} {:>18}\n", "body KB", "index µs", "read µs", "peek µs",
             "(peek - read)/read");
  for (const int turns : {10, 20, 50, 300}) {
    auto body = body_of(turns);
    const auto size = body.size();
    body.resize(size + lmw::wire::padding);
    const auto indexed = [&](auto use) {
      simdjson::ondemand::parser parser;
      simdjson::ondemand::document document;
      if (parser.iterate(body.data(), size, body.size()).get(document)) std::abort();
      use(document);
    };
    const double index = shortest([&] { indexed([](auto&) {}); });
    const double read = shortest([&] {
      indexed([](auto& document) {
        for (auto member : document.get_object())
          if (member.error()) std::abort();
      });
    });
    const double peek = shortest([&] {
      if (!lmw::wire::peek({body.data(), size})) std::abort();
    });
    fmt::print("{:>10} {:>10.1f} {:>10.1f} {:>10.1f} {:>18.2f}\n", size / 1000, index, read, peek,
               (peek - read) / read);
  }
}
