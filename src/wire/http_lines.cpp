#include "wire/http_lines.hpp"

#include <algorithm>

namespace lmw::wire {
namespace {

bool is_control(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u < 0x20 && c != '\t') || u == 0x7f;
}

}  // namespace

void HttpLines::start(std::size_t budget, ReadFault over_budget) {
  next();
  budget_ = budget;
  over_budget_ = over_budget;
}

void HttpLines::next() {
  line_.clear();
  end_ = End::none;
}

std::expected<std::size_t, ReadFault> HttpLines::feed(std::string_view bytes) {
  // Only what the budget covers is looked at, so that the fault does not depend on how the bytes were cut.
  const auto covered = bytes.substr(0, budget_);
  std::size_t taken = 0;
  if (end_ == End::none) {
    taken = static_cast<std::size_t>(std::ranges::find_if(covered, is_control) - covered.begin());
    line_.append(covered.substr(0, taken));
    if (taken < covered.size()) {
      if (covered[taken] != '\r') return std::unexpected(ReadFault::bad_framing);
      end_ = End::cr;
      ++taken;
    }
  }
  if (end_ == End::cr && taken < covered.size()) {
    if (covered[taken] != '\n') return std::unexpected(ReadFault::bad_framing);
    end_ = End::crlf;
    ++taken;
  }
  budget_ -= taken;
  if (!complete() && taken < bytes.size()) return std::unexpected(over_budget_);
  return taken;
}

}  // namespace lmw::wire
