#include "simulator/response_object.hpp"

#include <fmt/format.h>

#include "simulator/responses_tools.hpp"

namespace lmw::simulator {

using Json = ResponseObject::Json;

ResponseObject::ResponseObject(AnswerHead head, const Reply& reply, Random& ids)
    : head_(std::move(head)), reply_(reply), repeated_(Json::parse(head_.repeated)) {
  for (const auto& part : reply_.parts) {
    const bool call = part.part.kind == Part::Kind::tool_call;
    item_ids_.push_back(fmt::format("{}_{:016x}", call ? "fc" : "msg", ids.next()));
  }
}

Json ResponseObject::begun() const { return object("in_progress", Json::array(), nullptr); }

Json ResponseObject::ended(const CacheCounts& counts) const {
  Json output = Json::array();
  for (std::size_t i = 0; i < reply_.parts.size(); ++i) output.push_back(item(i));
  const bool cut = reply_.finish == Finish::length;
  auto json = object(cut ? "incomplete" : "completed", std::move(output), usage(counts));
  if (cut) json["incomplete_details"] = {{"reason", "max_output_tokens"}};
  return json;
}

Json ResponseObject::opened_item(std::size_t index) const {
  auto opened = item(index);
  opened["status"] = "in_progress";
  if (opened["type"] == "message") {
    opened["content"] = Json::array();
  } else {
    opened["arguments"] = "";
  }
  return opened;
}

Json ResponseObject::item(std::size_t index) const {
  const auto& part = reply_.parts[index];
  const auto& id = item_ids_[index];
  if (part.part.kind == Part::Kind::text) {
    return {{"id", id},
            {"content", Json::array({text_part(part.part.text, nullptr)})},
            {"role", "assistant"},
            {"status", "completed"},
            {"type", "message"},
            {"phase", nullptr}};
  }
  const auto [name_space, name] = split_name(index);
  return {{"arguments", part.part.text},
          {"call_id", part.id},
          {"name", name},
          {"type", "function_call"},
          {"id", id},
          {"async", nullptr},
          {"caller", nullptr},
          {"namespace", name_space},
          {"status", "completed"}};
}

Json ResponseObject::text_part(std::string_view text, Json logprobs) {
  return {{"annotations", Json::array()},
          {"text", text},
          {"type", "output_text"},
          {"logprobs", std::move(logprobs)}};
}

std::pair<Json, std::string> ResponseObject::split_name(std::size_t index) const {
  const auto& flat = reply_.parts[index].part.name;
  for (const auto& tool : repeated_.at("tools")) {
    const auto inner = tool.find("tools");
    if (inner == tool.end() || !inner->is_array()) continue;
    const auto name_space = tool.value("name", "");
    for (const auto& function : *inner) {
      const auto name = function.is_object() ? function.value("name", "") : "";
      if (flat == flat_tool_name(name_space, name)) return {name_space, name};
    }
  }
  return {nullptr, flat};
}

Json ResponseObject::usage(const CacheCounts& counts) const {
  const auto none = Json::array();
  return {{"input_tokens", head_.prompt_tokens},
          {"input_tokens_details",
           {{"cached_tokens", counts.cached},
            {"cache_write_tokens", counts.written},
            {"input_tokens_per_turn", none},
            {"cached_tokens_per_turn", none}}},
          {"output_tokens", reply_.size()},
          {"output_tokens_details",
           {{"reasoning_tokens", 0},
            {"tool_output_tokens", 0},
            {"output_tokens_per_turn", none},
            {"tool_output_tokens_per_turn", none}}},
          {"total_tokens", head_.prompt_tokens + reply_.size()}};
}

Json ResponseObject::object(std::string_view status, Json output, Json usage) const {
  const auto repeat = [&](const char* key) { return repeated_.at(key); };
  return {{"id", head_.id},
          {"created_at", head_.created},
          {"incomplete_details", nullptr},
          {"instructions", repeat("instructions")},
          {"metadata", repeat("metadata")},
          {"model", head_.model},
          {"object", "response"},
          {"output", std::move(output)},
          {"parallel_tool_calls", repeat("parallel_tool_calls")},
          {"temperature", repeat("temperature")},
          {"tool_choice", repeat("tool_choice")},
          {"tools", repeat("tools")},
          {"top_p", repeat("top_p")},
          {"background", false},
          {"max_output_tokens", head_.max_output_tokens},
          {"max_tool_calls", repeat("max_tool_calls")},
          {"previous_response_id", nullptr},
          {"prompt", nullptr},
          {"reasoning", repeat("reasoning")},
          {"service_tier", repeat("service_tier")},
          {"status", status},
          {"text", repeat("text")},
          {"top_logprobs", nullptr},
          {"truncation", repeat("truncation")},
          {"usage", std::move(usage)},
          {"user", repeat("user")},
          {"presence_penalty", repeat("presence_penalty")},
          {"frequency_penalty", repeat("frequency_penalty")},
          {"kv_transfer_params", nullptr},
          {"ec_transfer_params", nullptr},
          {"input_messages", nullptr},
          {"output_messages", nullptr}};
}

}  // namespace lmw::simulator
