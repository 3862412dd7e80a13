#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

class Lookups : public Loopback {};

TEST_F(Lookups, AnswerAsTheEngine) {
  start();
  EXPECT_EQ(Json::parse(ask("GET", "/v1/models").body).at("data").at(0).at("max_model_len"), 8192);
  EXPECT_EQ(ask("GET", "/version").body, R"({"version":"0.32.0"})");
  EXPECT_EQ(ask("GET", "/load").body, R"({"server_load":0})");
  EXPECT_EQ(ask("GET", "/health").status, 200);
  EXPECT_EQ(ask("GET", "/health").body, "");
  EXPECT_EQ(ask("POST", "/ping").status, 200);
  const auto tokens =
      Json::parse(ask("POST", "/tokenize", R"({"model":"tiny","prompt":"hello world"})").body);
  EXPECT_EQ(tokens.at("count"), tokens.at("tokens").size());
}

TEST_F(Lookups, DetokenizeIntoAsManyWords) {
  start();
  const auto tokens =
      Json::parse(ask("POST", "/tokenize", R"({"prompt":"hello world, 123"})").body).at("tokens");
  const auto detokenize = [this](const Json& body) {
    return Json::parse(ask("POST", "/detokenize", body.dump()).body);
  };
  const auto text = detokenize({{"model", "tiny"}, {"tokens", tokens}});
  EXPECT_EQ(text.size(), 1u);
  EXPECT_EQ(Json::parse(ask("POST", "/tokenize", text.dump()).body).at("count"), tokens.size());
  EXPECT_EQ(detokenize({{"tokens", Json::array()}}).at("prompt"), "");
  EXPECT_EQ(detokenize({{"model", "tiny"}}).at("error").at("param"), "body.tokens");
  EXPECT_EQ(detokenize({{"tokens", "abc"}}).at("error").at("message"),
            "1 validation error:\n  {'type': 'list_type', 'loc': 'body.tokens', 'msg': 'Input should be a "
            "valid list', "
            "'input': 'abc'}");
  EXPECT_EQ(detokenize({{"tokens", {-1}}}).at("error").at("param"), "body.tokens.0");
  EXPECT_EQ(detokenize({{"model", "other"}, {"tokens", {1}}}).at("error").at("code"), 404);
}

TEST_F(Lookups, AnswerHeadWithoutABody) {
  start();
  for (const auto* path : {"/v1/models", "/version", "/health", "/metrics"})
    EXPECT_EQ(ask("HEAD", path).status, 200);
}

TEST_F(Lookups, RefuseUnknownPathsAndMethods) {
  start();
  const auto unknown = ask("GET", "/nope");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.body, R"({"detail":"Not Found"})");
  const auto method = ask("GET", "/v1/chat/completions");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.body, R"({"detail":"Method Not Allowed"})");
  EXPECT_EQ(ask("POST", "/v1/chat/completions?x=1", request().dump()).status, 200);
}

}  // namespace
}  // namespace lmw::simulator
