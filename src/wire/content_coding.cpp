#include "wire/content_coding.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace lmw::wire {
namespace {

constexpr std::uint64_t usual_growth = 8;

std::optional<Coding> coding_of(std::string_view name) {
  constexpr std::pair<std::string_view, Coding> names[] = {{"zstd", Coding::zstd},
                                                           {"gzip", Coding::gzip},
                                                           {"x-gzip", Coding::gzip},
                                                           {"br", Coding::br},
                                                           {"deflate", Coding::deflate}};
  for (const auto& [known, coding] : names) {
    if (equal_ignoring_case(known, name)) return coding;
  }
  return std::nullopt;
}

// The elements of a comma-separated header, without those that are empty.
std::vector<std::string_view> elements_of(std::string_view list) {
  constexpr std::string_view blank = " \t";
  std::vector<std::string_view> elements;
  while (!list.empty()) {
    auto element = list.substr(0, list.find(','));
    list.remove_prefix(std::min(element.size() + 1, list.size()));
    element.remove_prefix(std::min(element.find_first_not_of(blank), element.size()));
    element = element.substr(0, element.find_last_not_of(blank) + 1);
    if (!element.empty()) elements.push_back(element);
  }
  return elements;
}

// As far as input and room reach. False: it is corrupt.
bool run(Decompressor& decompressor, std::string_view& in, std::span<char>& out) {
  while (true) {
    const auto had = std::pair(in.size(), out.size());
    if (!decompressor.run(in, out)) return false;
    if (in.empty() || out.empty()) return true;
    if (had == std::pair(in.size(), out.size())) return false;
  }
}

}  // namespace

std::optional<std::vector<Coding>> content_codings(const Headers& headers) {
  std::vector<Coding> codings;
  for (const auto& [name, value] : headers) {
    if (!equal_ignoring_case(name, "Content-Encoding")) continue;
    for (const auto element : elements_of(value)) {
      if (equal_ignoring_case(element, "identity")) continue;
      const auto coding = coding_of(element);
      if (!coding || codings.size() == max_codings) return std::nullopt;
      codings.push_back(*coding);
    }
  }
  return codings;
}

BodyDecoder::BodyDecoder(std::vector<Coding> codings, std::string body, std::uint64_t limit)
    : codings_(std::move(codings)), limit_(limit), input_(std::move(body)) {}

std::expected<bool, BodyDecoder::Fault> BodyDecoder::step() {
  if (codings_.empty()) return true;
  if (!current_) begin_coding();
  auto in = std::string_view(input_).substr(taken_, step_bytes);
  taken_ += in.size();
  const auto before = output_.size();
  // One byte beyond the limit shows that there is more.
  const auto room = std::min<std::uint64_t>(step_bytes, limit_ + 1 - before);
  bool sound = false, has_room = false;
  output_.resize_and_overwrite(before + room, [&](char* data, std::size_t) {
    std::span<char> out(data + before, room);
    sound = run(*current_, in, out);
    has_room = !out.empty();
    return before + room - out.size();
  });
  taken_ -= in.size();
  if (!sound) return std::unexpected(Fault::corrupt);
  if (output_.size() > limit_) return std::unexpected(Fault::too_large);
  if (taken_ < input_.size() || !has_room) return false;
  return finish_coding();
}

void BodyDecoder::begin_coding() {
  current_ = make_decompressor(codings_.back());
  // Room for what text usually grows to: moving a large body into a larger string would be a long step.
  output_.reserve(std::min<std::uint64_t>(limit_ + 1, input_.size() * usual_growth));
}

std::expected<bool, BodyDecoder::Fault> BodyDecoder::finish_coding() {
  if (!current_->complete()) return std::unexpected(Fault::corrupt);
  current_.reset();
  codings_.pop_back();
  input_ = std::exchange(output_, {});
  taken_ = 0;
  return codings_.empty();
}

}  // namespace lmw::wire
