// The response object of /v1/responses and the items in it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "simulator/answer.hpp"

namespace lmw::simulator {

class ResponseObject {
 public:
  using Json = nlohmann::ordered_json;

  // The reply must outlive this. Ids of items are drawn from `ids`.
  ResponseObject(AnswerHead head, const Reply& reply, Random& ids);

  Json begun() const;
  Json ended(const CacheCounts& counts) const;

  // Of each part of the reply, an item.
  const std::string& item_id(std::size_t index) const { return item_ids_[index]; }
  Json opened_item(std::size_t index) const;
  Json item(std::size_t index) const;
  // The name that the client knows the tool of a call by.
  std::string tool_name(std::size_t index) const { return split_name(index).second; }
  static Json text_part(std::string_view text, Json logprobs);

 private:
  // Namespace (null: none) and name.
  std::pair<Json, std::string> split_name(std::size_t index) const;
  Json usage(const CacheCounts& counts) const;
  Json object(std::string_view status, Json output, Json usage) const;

  AnswerHead head_;
  const Reply& reply_;
  Json repeated_;
  std::vector<std::string> item_ids_;
};

}  // namespace lmw::simulator
