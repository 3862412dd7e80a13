#include "wire/splice.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <nlohmann/json.hpp>

namespace lmw::wire {

void Splice::replace(ByteRange range, std::string text) {
  const auto before = [](const Edit& a, const Edit& b) {
    return std::pair(a.range.begin, a.range.end) < std::pair(b.range.begin, b.range.end);
  };
  Edit edit{range, std::move(text)};
  edits_.insert(std::upper_bound(edits_.begin(), edits_.end(), edit, before), std::move(edit));
}

std::size_t Splice::size_after(std::size_t body_size) const {
  for (const Edit& edit : edits_)
    body_size = body_size - (edit.range.end - edit.range.begin) + edit.text.size();
  return body_size;
}

std::vector<std::string_view> Splice::pieces(std::string_view body) const {
  std::vector<std::string_view> result;
  const auto add = [&](std::string_view piece) {
    if (!piece.empty()) result.push_back(piece);
  };
  std::size_t at = 0;
  for (const Edit& edit : edits_) {
    assert(at <= edit.range.begin && edit.range.end <= body.size());
    add(body.substr(at, edit.range.begin - at));
    add(edit.text);
    at = edit.range.end;
  }
  add(body.substr(at));
  return result;
}

bool ask_for_usage(const Peek& peek, Splice& splice) {
  if (!peek.stream || peek.include_usage) return false;
  const auto member = [](const std::string& text, bool only) { return only ? text : text + ","; };
  switch (peek.stream_options) {
    case Peek::StreamOptions::absent:
      splice.insert(peek.object_begin + 1,
                    member(R"("stream_options":{"include_usage":true})", peek.empty_object));
      return true;
    case Peek::StreamOptions::object:
      if (peek.include_usage_value) {
        splice.replace(*peek.include_usage_value, "true");
      } else {
        splice.insert(peek.stream_options_value.begin + 1,
                      member(R"("include_usage":true)", peek.stream_options_empty));
      }
      return true;
    case Peek::StreamOptions::other:
      return false;
  }
  return false;
}

bool drop_billing(const Peek& peek, Splice& splice) {
  if (!peek.billing) return false;
  splice.replace(*peek.billing, "");
  return true;
}

void replace_model(const Peek& peek, std::string_view name, Splice& splice) {
  assert(peek.model);
  splice.replace(peek.model_value, json_string(name));
}

std::string json_string(std::string_view text) {
  // Not UTF-8: U+FFFD in its place, as the receiver could not read it otherwise.
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lmw::wire
