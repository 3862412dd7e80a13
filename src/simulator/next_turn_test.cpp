// A conversation's next prompt begins with its last one and the reply to it, in every API: what a prefix
// cache lives on.
#include <algorithm>

#include <gtest/gtest.h>

#include "simulator/answer.hpp"
#include "simulator/body.hpp"
#include "simulator/generate.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using replica::Token;
using wire::Endpoint;

SimulatorOptions engine() {
  SimulatorOptions options;
  options.profile.kv_tokens = options.profile.max_model_len;
  return options;
}

TurnRequest read(const Json& body, Endpoint endpoint) {
  auto request = parse_turn(body.dump(), endpoint);
  EXPECT_TRUE(request) << request.error().message;
  return request ? std::move(*request) : TurnRequest();
}

std::vector<Token> prompt_of(const Json& body, Endpoint endpoint) {
  Random ids(1);
  const auto generations = generate(engine(), read(body, endpoint), ids);
  EXPECT_TRUE(generations) << generations.error().message;
  return generations ? generations->front().prompt : std::vector<Token>();
}

Json first_request(Endpoint endpoint) {
  constexpr auto words = "List the files of this folder.";
  if (endpoint == Endpoint::completions) return {{"prompt", words}};
  Json user = Json::array({{{"role", "user"}, {"content", words}}});
  if (endpoint == Endpoint::responses) {
    return {{"input", user}, {"tools", Json::parse(R"([{"type":"function","name":"Bash"},
                {"type":"namespace","name":"multi","tools":[{"type":"function","name":"spawn"}]}])")}};
  }
  return {{"model", "m"},
          {"max_tokens", 100},
          {"tools", Json::parse(R"([{"name":"Bash","input_schema":{"type":"object"}}])")},
          {"messages", user}};
}

std::unique_ptr<Answer> answer_of(const std::vector<Generation>& generations, const Json& request,
                                  Endpoint endpoint) {
  const auto& reply = generations.front().reply;
  AnswerHead head;
  head.model = "m";
  head.repeated = read(request, endpoint).repeated;
  Random ids(9);
  switch (endpoint) {
    case Endpoint::completions:
      return make_completions_answer(head, generations);
    case Endpoint::responses:
      return make_responses_answer(head, reply, ids);
    case Endpoint::messages:
      return make_messages_answer(head, reply);
    default:
      return make_chat_answer(head, reply);
  }
}

// What a client sends back of a whole answer, with a next user message.
Json next_request(Json request, const std::string& answer, Endpoint endpoint) {
  const auto json = Json::parse(answer);
  const Json question{{"role", "user"}, {"content", "And now?"}};
  if (endpoint == Endpoint::completions) {
    request["prompt"] = request["prompt"].get<std::string>() +
                        json.at("choices").at(0).at("text").get<std::string>() + " And now?";
  } else if (endpoint == Endpoint::responses) {
    for (const auto& item : json.at("output")) request["input"].push_back(item);
    request["input"].push_back(question);
  } else if (endpoint == Endpoint::messages) {
    request["messages"].push_back({{"role", "assistant"}, {"content", json.at("content")}});
    request["messages"].push_back(question);
  } else {
    request["messages"].push_back(json.at("choices").at(0).at("message"));
    request["messages"].push_back(question);
  }
  return request;
}

class PromptOfTheNextTurn : public testing::TestWithParam<Endpoint> {
 protected:
  static void expect_prefix(Reply reply) {
    const auto request = first_request(GetParam());
    std::vector<Generation> generations;
    generations.push_back({prompt_of(request, GetParam()), std::move(reply)});
    auto before = generations[0].prompt;
    const auto& said = generations[0].reply.tokens;
    before.insert(before.end(), said.begin(), said.end());
    const auto answer = answer_of(generations, request, GetParam())->whole(CacheCounts());
    const auto after = prompt_of(next_request(request, answer, GetParam()), GetParam());
    ASSERT_GT(after.size(), before.size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  }
};

TEST_P(PromptOfTheNextTurn, BeginsWithThisPromptAndTheWordsOfItsReply) {
  Random random(3);
  expect_prefix(random_reply({100, Finish::length}, random));
}

TEST_P(PromptOfTheNextTurn, BeginsWithThisPromptAndItsToolCalls) {
  Random ids(3);
  const std::vector<Part> parts{{Part::Kind::text, "First I look, 然后 I think.", ""},
                                {Part::Kind::tool_call, R"({"command":"ls -l","timeout":5})", "Bash"},
                                {Part::Kind::text, "Then this:", ""},
                                {Part::Kind::text, " more", ""},
                                {Part::Kind::tool_call, "{}", "multi__spawn"}};
  expect_prefix(scripted_reply(parts, GetParam(), ids));
}

INSTANTIATE_TEST_SUITE_P(Of, PromptOfTheNextTurn,
                         testing::Values(Endpoint::chat_completions, Endpoint::messages, Endpoint::responses,
                                         Endpoint::completions),
                         [](const auto& info) {
                           std::string name(wire::route_of(info.param).path.substr(4));
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace lmw::simulator
