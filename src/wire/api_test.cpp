#include "wire/api.hpp"

#include <gtest/gtest.h>

namespace lmw::wire {
namespace {

TEST(Api, FindsEachRouteByItsPathAndByItsEndpoint) {
  for (auto path : {"/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens", "/tokenize",
                    "/v1/models", "/v1/completions", "/v1/responses", "/detokenize"}) {
    const Route* route = find_route(path);
    ASSERT_NE(route, nullptr) << path;
    EXPECT_EQ(route->path, path);
    EXPECT_EQ(&route_of(route->endpoint), route);
  }
}

TEST(Api, OnlyWhatGeneratesIsATurn) {
  EXPECT_TRUE(route_of(Endpoint::chat_completions).generates);
  EXPECT_TRUE(route_of(Endpoint::messages).generates);
  EXPECT_TRUE(route_of(Endpoint::completions).generates);
  EXPECT_TRUE(route_of(Endpoint::responses).generates);
  EXPECT_FALSE(route_of(Endpoint::detokenize).generates);
  EXPECT_FALSE(route_of(Endpoint::count_tokens).generates);
  EXPECT_FALSE(route_of(Endpoint::tokenize).generates);
  EXPECT_FALSE(route_of(Endpoint::models).generates);
}

TEST(Api, UnknownAndHalfMatchingPathsHaveNoRoute) {
  for (auto path :
       {"", "/", "/v1", "/v1/message", "/v1/messages/", "/v1/messagesx", "/v1/models/tiny", "/V1/models"}) {
    EXPECT_EQ(find_route(path), nullptr) << path;
  }
}

TEST(Api, ErrorsBelowMessagesAreAnthropicAndAllOthersOpenAi) {
  EXPECT_EQ(family_of_path("/v1/messages"), Family::anthropic);
  EXPECT_EQ(family_of_path("/v1/messages/batches"), Family::anthropic);
  EXPECT_EQ(family_of_path("/v1/messagesx"), Family::openai);
  EXPECT_EQ(family_of_path("/v1/chat/completions"), Family::openai);
  EXPECT_EQ(family_of_path(""), Family::openai);
}

}  // namespace
}  // namespace lmw::wire
