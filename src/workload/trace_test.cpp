#include "workload/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string header =
    R"({"format":1,"name":"t","source":"s","licence":"l","block_size":10,"hash_scope":"session","clock":"session"})"
    "\n";

std::string row(int session, int agent, int turn, const std::string& rest) {
  return "{\"session\":" + std::to_string(session) + ",\"agent\":" + std::to_string(agent) +
         ",\"turn\":" + std::to_string(turn) + "," + rest + "}\n";
}

Trace read(const std::string& text) { return read_trace(text, {}).value(); }

TEST(Trace, GivesEachTurnTheBlocksOfItsParentAndItsOwn) {
  const auto trace = read(
      header +
      row(3, 0, 0,
          R"("t_ms":0,"input_tokens":39,"output_tokens":12,"parent":-1,"keep":0,"add":[1,3],"api_ms":2000)") +
      row(3, 0, 1,
          R"("t_ms":9000,"input_tokens":62,"output_tokens":1,"parent":0,"keep":3,"add":[7,3],"think_ms":7000)"));
  ASSERT_THAT(trace.sessions, SizeIs(1));
  const auto& turns = trace.sessions[0].agents[0].turns;
  ASSERT_THAT(turns, SizeIs(2));
  EXPECT_EQ(trace.block_size, 10);
  EXPECT_EQ(turns[1].gap, 7s);
  EXPECT_EQ(turns[1].prompt_tokens, 62);
  const auto first = block_numbers(turns[0].content), second = block_numbers(turns[1].content);
  // 39 + 12 tokens are 5 blocks: 3 of the prompt, and 2 that the next prompt has there.
  ASSERT_THAT(first, SizeIs(5));
  ASSERT_THAT(second, SizeIs(6));
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
}

TEST(Trace, KeepsIdsOfDifferentSessionsAndModelsApart) {
  const std::string rest = R"("t_ms":0,"input_tokens":30,"output_tokens":1,"parent":-1,"keep":0,"add":[1,3])";
  const auto trace = read(header + row(1, 0, 0, rest) + row(2, 0, 0, rest) +
                          row(1, 0, 1, rest + R"(,"model":"other")") + row(1, 0, 2, rest));
  const auto blocks = [&](std::size_t session, std::size_t turn) {
    return block_numbers(trace.sessions[session].agents[0].turns[turn].content);
  };
  EXPECT_NE(blocks(0, 0), blocks(1, 0));
  EXPECT_NE(blocks(0, 0), blocks(0, 1));
  EXPECT_EQ(blocks(0, 0), blocks(0, 2));
}

TEST(Trace, StartsSubAgentsWhereTheyStartedAndJoinsThem) {
  const auto trace = read(
      header +
      row(1, 0, 0,
          R"("t_ms":0,"input_tokens":30,"output_tokens":1,"parent":-1,"keep":0,"add":[1,3],"api_ms":2000)") +
      row(1, 0, 1,
          R"("t_ms":60000,"input_tokens":40,"output_tokens":1,"parent":0,"keep":3,"add":[4,1],"think_ms":58000)") +
      row(1, 1, 0,
          R"("t_ms":5000,"input_tokens":30,"output_tokens":1,"parent":-1,"keep":0,"add":[50,3],"api_ms":1000)") +
      row(1, 1, 1,
          R"("t_ms":50000,"input_tokens":30,"output_tokens":1,"parent":0,"keep":3,"add":[],"api_ms":1000)"));
  const auto& agents = trace.sessions[0].agents;
  ASSERT_THAT(agents, SizeIs(2));
  EXPECT_EQ(agents[1].after, 0);
  EXPECT_EQ(agents[1].delay, 3s);
  EXPECT_EQ(agents[1].joined_by, 1);
  EXPECT_EQ(agents[0].turns[1].gap, 9s);  // after the sub-agent's end at 51 s
  EXPECT_EQ(agents[1].turns[1].gap, 44s);
}

TEST(Trace, SaysWhichLinesItSkippedAndWhy) {
  const std::string good = R"("t_ms":0,"input_tokens":30,"output_tokens":1,"parent":-1,"keep":0,"add":[1,3])";
  const auto text =
      header + row(1, 0, 0, good) + "{\"session\":\n" + row(1, 0, 0, good) +
      row(1, 0, 1, R"("t_ms":0,"input_tokens":30,"output_tokens":1,"parent":5,"keep":0,"add":[])") +
      row(1, 0, 2, R"("t_ms":0,"input_tokens":30,"output_tokens":1,"parent":0,"keep":4,"add":[])") +
      row(1, 0, 3, R"("t_ms":-1,"input_tokens":30,"output_tokens":1,"parent":0,"keep":3,"add":[])") +
      row(1, 0, 4, R"("t_ms":1,"input_tokens":1e3,"output_tokens":1,"parent":0,"keep":3,"add":[1])");
  const auto trace = read(text);
  ASSERT_THAT(trace.skipped, SizeIs(6));
  EXPECT_EQ(trace.skipped[0], "line 3: no JSON object");
  EXPECT_EQ(trace.skipped[1], "line 4: turn 0 is there already");
  EXPECT_EQ(trace.skipped[2], "line 5: there is no turn 5 before it");
  EXPECT_EQ(trace.skipped[3], "line 6: it keeps 4 hashes of 3");
  EXPECT_EQ(trace.skipped[4], "line 7: t_ms is -1");
  EXPECT_EQ(trace.skipped[5], "line 8: input_tokens is no whole number");
  EXPECT_THAT(trace.sessions[0].agents[0].turns, SizeIs(1));
  const auto strict = read_trace(text, {.strict = true});
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().message, "line 3: no JSON object");
}

TEST(Trace, NamesOnlyTheFirstOfManyBadLines) {
  std::string text =
      header +
      row(1, 0, 0, R"("t_ms":0,"input_tokens":30,"output_tokens":1,"parent":-1,"keep":0,"add":[1,3])");
  for (int i = 0; i < 1000; ++i) text += "nonsense\n";
  const auto trace = read(text);
  ASSERT_THAT(trace.skipped, SizeIs(max_skipped_texts));
  EXPECT_EQ(trace.skipped.back(), "and 981 lines more");
}

TEST(Trace, RefusesWhatIsNone) {
  EXPECT_THAT(read_trace("", {}).error().message, HasSubstr("line 1"));
  EXPECT_THAT(read_trace("{\"format\":2}\n", {}).error().message, HasSubstr("no trace of format 1"));
  EXPECT_THAT(read_trace("{\"format\":1,\"block_size\":0}\n", {}).error().message,
              HasSubstr("no block hashes"));
  EXPECT_THAT(read_trace(header, {}).error().message, HasSubstr("no session"));
}

TEST(FitLengths, CutsAllPromptsByOneFactorAndKeepsTheirBlocks) {
  std::vector<Session> sessions(1);
  sessions[0].agents.push_back(
      {.turns = {{.prompt_tokens = 640, .output_tokens = 2, .content = {{0, 10}}},
                 {.prompt_tokens = 6400, .output_tokens = 64, .content = {{0, 101}}}}});
  EXPECT_EQ(fit_lengths(sessions, 64, 6464).value(), 64) << "all fit";
  EXPECT_EQ(fit_lengths(sessions, 64, 1700).value(), 16);
  const auto& turns = sessions[0].agents[0].turns;
  EXPECT_EQ(turns[0].prompt_tokens, 160);
  EXPECT_EQ(turns[0].output_tokens, 1) << "never none";
  EXPECT_EQ(turns[1].prompt_tokens, 1600);
  EXPECT_EQ(count_blocks(turns[1].content), 101);
  EXPECT_FALSE(fit_lengths(sessions, 64, 10));
}

}  // namespace
}  // namespace lmw::workload
