// For tests: reads a whole connection with HttpReader, cut into pieces at will.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/http_reader.hpp"
#include "wire/http_writer.hpp"

namespace lmw::wire::testing {

struct Reading {
  struct Message {
    std::string head;  // serialised
    std::string body;
    bool operator==(const Message&) const = default;
  };
  std::vector<Message> messages;  // the complete ones
  std::string rest;               // body bytes of the one that is not
  std::optional<ReadFault> fault;

  bool operator==(const Reading&) const = default;
};

class Connection {
 public:
  // `past`: bodies with a length are read past the reader, which is only told so.
  explicit Connection(HttpReader::Kind kind, HeadLimits limits = {}, bool past = false)
      : kind_(kind), reader_(kind, limits), past_(past) {}

  void feed(std::string_view bytes) {
    while (!bytes.empty() && !result_.fault) {
      const auto taken = past_ && reader_.body_left() > 0 ? skip(bytes) : reader_.feed(bytes, result_.rest);
      if (!taken) {
        result_.fault = taken.error();
        return;
      }
      bytes.remove_prefix(*taken);
      if (reader_.done()) end_message();
    }
  }

  Reading finish() {
    if (result_.fault) return result_;
    const bool started = reader_.started();
    if (const auto finished = reader_.finish(); !finished && started) result_.fault = finished.error();
    if (reader_.done()) end_message();
    return result_;
  }

 private:
  std::expected<std::size_t, ReadFault> skip(std::string_view bytes) {
    const auto part = bytes.substr(0, reader_.body_left());
    result_.rest += part;
    reader_.skip(part.size());
    return part.size();
  }

  void end_message() {
    const auto head =
        kind_ == HttpReader::Kind::request ? serialize(reader_.request()) : serialize(reader_.response());
    result_.messages.push_back({head, std::move(result_.rest)});
    result_.rest.clear();
    reader_.reset();
  }

  HttpReader::Kind kind_;
  HttpReader reader_;
  bool past_;
  Reading result_;
};

inline Reading read(HttpReader::Kind kind, const std::vector<std::string_view>& pieces,
                    HeadLimits limits = {}, bool past = false) {
  Connection connection(kind, limits, past);
  for (const auto piece : pieces) connection.feed(piece);
  return connection.finish();
}

inline Reading read_requests(std::string_view bytes, HeadLimits limits = {}) {
  return read(HttpReader::Kind::request, {bytes}, limits);
}

inline Reading read_responses(std::string_view bytes, HeadLimits limits = {}) {
  return read(HttpReader::Kind::response, {bytes}, limits);
}

}  // namespace lmw::wire::testing
