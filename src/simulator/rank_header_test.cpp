#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

using testing::EndsWith;
using testing::StartsWith;

class RankHeader : public Loopback {};

TEST_F(RankHeader, ChoosesTheReplica) {
  start();
  for (const auto* value : {"1", "01", "+1", " 1 "}) EXPECT_EQ(chat(request(), rank(value)).status, 200);
  EXPECT_EQ(messages(request(), rank("1")).status, 200);
  EXPECT_EQ(metric(R"(vllm:request_success_total{engine="1",finished_reason="length",model_name="tiny"})"),
            "5.0");
  EXPECT_EQ(metric(R"(vllm:request_success_total{engine="0",finished_reason="length",model_name="tiny"})"),
            "0.0");
}

TEST_F(RankHeader, IsIgnoredWhenItIsNoInteger) {
  start();
  for (const auto* value : {"abc", "1.0", ""}) EXPECT_EQ(chat(request(), rank(value)).status, 200) << value;
}

TEST_F(RankHeader, OutOfRangeIsAnErrorOfTheAnswer) {
  start();
  const auto openai = chat(request(), rank("9"));
  EXPECT_EQ(openai.status, 400);
  EXPECT_EQ(openai.body, R"({"error":{"message":"data_parallel_rank 9 is out of range [0, 2).",)"
                         R"("type":"BadRequestError","param":null,"code":400}})");
  const auto anthropic = messages(request(), rank("-1"));
  EXPECT_EQ(anthropic.status, 400);
  EXPECT_EQ(anthropic.body, R"({"type":"error","error":{"type":"BadRequestError",)"
                            R"("message":"data_parallel_rank -1 is out of range [0, 2)."}})");
}

TEST_F(RankHeader, OutOfRangeIsAnErrorInsideAStream) {
  start();
  const auto openai = chat(streamed(), rank("7"));
  EXPECT_EQ(openai.status, 200);
  EXPECT_TRUE(openai.complete);
  EXPECT_THAT(openai.body,
              StartsWith(R"(data: {"error":{"message":"data_parallel_rank 7 is out of range [0, 2).")"));
  EXPECT_THAT(openai.body, EndsWith("data: [DONE]\n\n"));
  const auto anthropic = messages(streamed(), rank("7"));
  EXPECT_EQ(anthropic.status, 200);
  EXPECT_THAT(anthropic.body,
              StartsWith("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"internal_error\","
                         "\"message\":\"2 validation errors for ChatCompletionStreamResponse"));
}

}  // namespace
}  // namespace lmw::simulator
