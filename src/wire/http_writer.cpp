#include "wire/http_writer.hpp"

#include <iterator>

#include <fmt/format.h>

namespace lmw::wire {
namespace {

void append_headers(std::string& out, const Headers& headers) {
  for (const auto& header : headers) out.append(header.name).append(": ").append(header.value).append("\r\n");
  out.append("\r\n");
}

std::size_t size_of(const Headers& headers) {
  std::size_t size = 2;
  for (const auto& header : headers) size += header.name.size() + header.value.size() + 4;
  return size;
}

}  // namespace

std::string serialize(const RequestHead& head) {
  std::string out;
  out.reserve(head.method.size() + head.target.size() + 12 + size_of(head.headers));
  fmt::format_to(std::back_inserter(out), "{} {} HTTP/1.{}\r\n", head.method, head.target, head.minor);
  append_headers(out, head.headers);
  return out;
}

std::string serialize(const ResponseHead& head) {
  std::string out;
  out.reserve(head.reason.size() + 15 + size_of(head.headers));
  fmt::format_to(std::back_inserter(out), "HTTP/1.{} {} {}\r\n", head.minor, head.status, head.reason);
  append_headers(out, head.headers);
  return out;
}

std::string chunk_prefix(std::size_t size) { return fmt::format("{:x}\r\n", size); }

}  // namespace lmw::wire
