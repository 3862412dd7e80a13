#include "gateway/model_echo.hpp"

#include <gtest/gtest.h>

namespace lmw::gateway {
namespace {

std::string echoed_event(std::string event) {
  const std::string before = "data: {\"model\":\"tiny\"}\n\n";  // an earlier event, already passed on
  auto out = before + event;
  echo_in_event(out, before.size(), "tiny", "claude-\"x\"");
  EXPECT_TRUE(out.starts_with(before));
  return out.substr(before.size());
}

TEST(ModelEcho, ReplacesTheNameInAnEvent) {
  EXPECT_EQ(echoed_event("data: {\"id\":1,\"model\":\"tiny\",\"choices\":[]}\n\n"),
            "data: {\"id\":1,\"model\":\"claude-\\\"x\\\"\",\"choices\":[]}\n\n");
  EXPECT_EQ(echoed_event("data: {\"model\": \"tiny\"}\n\n"), "data: {\"model\": \"claude-\\\"x\\\"\"}\n\n");
}

TEST(ModelEcho, LeavesOtherNamesAndTextsAlone) {
  for (const std::string event :
       {"data: {\"model\":\"tiny-2\"}\n\n", "data: {\"delta\":\"say \\\"model\\\":\\\"tiny\\\"\"}\n\n",
        "data: [DONE]\n\n", ": ping\n\n"}) {
    EXPECT_EQ(echoed_event(event), event);
  }
}

TEST(ModelEcho, ReplacesTheTopLevelNameOfABodyOnly) {
  std::string body = R"({"content":[{"input":{"model":"tiny"}}],"model":"tiny"})";
  echo_in_body(body, "tiny", "claude-opus-4-5");
  EXPECT_EQ(body, R"({"content":[{"input":{"model":"tiny"}}],"model":"claude-opus-4-5"})");
  std::string other = R"({"model":"other"})";
  echo_in_body(other, "tiny", "x");
  EXPECT_EQ(other, R"({"model":"other"})");
  std::string broken = "not json";
  echo_in_body(broken, "tiny", "x");
  EXPECT_EQ(broken, "not json");
}

}  // namespace
}  // namespace lmw::gateway
