// For tests: what two JSON texts have in common when only keys, their order and types count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace lmw::simulator {

// The value with each leaf replaced by the name of its type.
inline nlohmann::ordered_json shape(const nlohmann::ordered_json& json) {
  if (!json.is_structured()) return json.type_name();
  auto out = json;
  for (auto& item : out) item = shape(item);
  return out;
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
