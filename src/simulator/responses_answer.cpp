#include "simulator/answer_json.hpp"
#include "simulator/response_object.hpp"

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

class ResponsesAnswer final : public Answer {
 public:
  ResponsesAnswer(AnswerHead head, const Reply& reply, Random& ids)
      : reply_(reply), cursor_(reply), response_(std::move(head), reply, ids) {}

  std::string begin() override {
    const Json begun{{"response", response_.begun()}};
    auto out = event("response.created", begun);
    return out + event("response.in_progress", begun);
  }

  std::string events(Progress progress) override {
    std::string out;
    while (const auto delta = cursor_.next(progress.generated)) {
      const auto index = static_cast<std::size_t>(delta->part - reply_.parts.data());
      const bool text = delta->part->part.kind == Part::Kind::text;
      if (delta->opens) {
        out += event("response.output_item.added",
                     {{"item", response_.opened_item(index)}, {"output_index", index}});
      }
      out += text ? text_events(index, *delta) : call_events(index);
      if (delta->closes)
        out += event("response.output_item.done", {{"item", response_.item(index)}, {"output_index", index}});
    }
    return out;
  }

  // A response cut by its limit is incomplete by its status, not by the name of its last event.
  std::string end(const CacheCounts& counts) override {
    return event("response.completed", {{"response", response_.ended(counts)}});
  }

  std::string whole(const CacheCounts& counts) const override { return response_.ended(counts).dump(); }

 private:
  // Adds what every event has: at the end, or where `members` holds its place.
  std::string event(std::string_view type, Json members) {
    members["sequence_number"] = sequence_number_++;
    members["type"] = type;
    return named_event(type, members.dump());
  }

  std::string text_events(std::size_t index, const Delta& delta) {
    const Json place{{"content_index", 0}, {"item_id", response_.item_id(index)}, {"output_index", index}};
    std::string out;
    if (delta.opens) {
      auto added = place;
      added["part"] = ResponseObject::text_part("", Json::array());
      out += event("response.content_part.added", std::move(added));
    }
    out += event("response.output_text.delta", {{"content_index", 0},
                                                {"delta", delta.text},
                                                {"item_id", response_.item_id(index)},
                                                {"logprobs", Json::array()},
                                                {"output_index", index}});
    if (!delta.closes) return out;
    const auto& text = delta.part->part.text;
    out += event("response.output_text.done", {{"content_index", 0},
                                               {"item_id", response_.item_id(index)},
                                               {"logprobs", Json::array()},
                                               {"output_index", index},
                                               {"sequence_number", nullptr},
                                               {"text", text}});
    auto done = place;
    done["part"] = ResponseObject::text_part(text, nullptr);
    return out + event("response.content_part.done", std::move(done));
  }

  // A call comes whole.
  std::string call_events(std::size_t index) {
    const auto& id = response_.item_id(index);
    const auto& arguments = reply_.parts[index].part.text;
    auto out = event("response.function_call_arguments.delta",
                     {{"delta", arguments}, {"item_id", id}, {"output_index", index}});
    return out + event("response.function_call_arguments.done", {{"arguments", arguments},
                                                                 {"item_id", id},
                                                                 {"output_index", index},
                                                                 {"sequence_number", nullptr},
                                                                 {"type", nullptr},
                                                                 {"name", response_.tool_name(index)}});
  }

  const Reply& reply_;
  ReplyCursor cursor_;
  ResponseObject response_;
  int sequence_number_ = 0;
};

}  // namespace

std::unique_ptr<Answer> make_responses_answer(AnswerHead head, const Reply& reply, Random& ids) {
  return std::make_unique<ResponsesAnswer>(std::move(head), reply, ids);
}

}  // namespace lmw::simulator
