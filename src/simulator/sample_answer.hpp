// For tests: replies, and the answers that they are recorded in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/recorded.hpp"
#include "simulator/answer.hpp"

namespace lmw::simulator {

inline Reply words(int count, Finish finish = Finish::length) {
  Random random(1);
  return random_reply({count, finish}, random);
}

inline const std::vector<Part> text_and_call{{Part::Kind::text, "I will look.", ""},
                                             {Part::Kind::tool_call, R"({"command":"ls"})", "Bash"}};

inline AnswerHead sample_head() {
  AnswerHead head{"chatcmpl-1", "tiny", 1795975949, "vllm-0.32.0-dp2-053949fb", 1134};
  return head;
}

inline constexpr CacheCounts sample_counts{1024, 0};

inline std::string token_by_token(Answer& answer, int tokens) {
  auto stream = answer.begin();
  for (int i = 1; i <= tokens; ++i) stream += answer.events({i});
  return stream + answer.end(sample_counts);
}

// The value with each leaf replaced by the name of its type: what two JSON texts have in common when only
// keys, their order and types count.
inline nlohmann::ordered_json shape(const nlohmann::ordered_json& json) {
  if (!json.is_structured()) return json.type_name();
  auto out = json;
  for (auto& item : out) item = shape(item);
  return out;
}

inline nlohmann::ordered_json shape_of(std::string_view text) {
  return shape(nlohmann::ordered_json::parse(text));
}

// Of each event: its name, if it has one, and the shape of its data.
inline std::vector<std::string> event_shapes(std::string_view stream) {
  std::vector<std::string> shapes;
  while (!stream.empty()) {
    const auto end = stream.find("\n\n");
    auto event = stream.substr(0, end);
    stream.remove_prefix(end + 2);
    const auto data = event.find("data: ");
    const auto text = event.substr(data + 6);
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    shapes.push_back(std::string(event.substr(0, data)) +
                     (json.is_discarded() ? std::string(text) : shape(json).dump()));
  }
  return shapes;
}

}  // namespace lmw::simulator
