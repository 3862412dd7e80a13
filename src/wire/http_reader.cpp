#include "wire/http_reader.hpp"

#include <algorithm>
#include <utility>

#include "wire/http_chunks.hpp"
#include "wire/http_head.hpp"
#include "wire/http_lines.hpp"

namespace lmw::wire {
namespace {

// RFC 9112 §2.2 asks for one: old clients send a CRLF too much after a body.
constexpr std::size_t leading_blank_lines = 4;

constexpr auto bad_framing = std::unexpected(ReadFault::bad_framing);

}  // namespace

std::string_view describe(ReadFault fault) {
  switch (fault) {
    case ReadFault::bad_framing:
      return "malformed HTTP message";
    case ReadFault::head_too_large:
      return "HTTP head too large";
    case ReadFault::version:
      return "HTTP version not supported";
    case ReadFault::cut_short:
      return "connection closed inside an HTTP message";
  }
  std::unreachable();
}

struct HttpReader::State {
  enum class Phase { start_line, headers, body, done };

  State(Kind message_kind, HeadLimits head_limits)
      : kind(message_kind), limits(head_limits), chunks(head_limits) {
    lines.start(limits.bytes, ReadFault::head_too_large);
  }

  std::expected<std::size_t, ReadFault> feed_head(std::string_view bytes);
  std::expected<void, ReadFault> accept_line(std::string_view line);
  std::expected<void, ReadFault> accept_start_line(std::string_view line);
  std::expected<void, ReadFault> end_head();
  void skip_interim_response();
  std::expected<std::size_t, ReadFault> feed_body(std::string_view bytes, std::string& body);
  void skip(std::uint64_t bytes);

  bool head_done() const { return phase == Phase::body || phase == Phase::done; }

  Kind kind;
  HeadLimits limits;
  HttpLines lines;
  ChunkDecoder chunks;
  Phase phase = Phase::start_line;
  bool started = false;
  bool no_body = false;
  std::size_t blank_lines = 0;
  std::size_t header_lines = 0;
  RequestHead request;
  ResponseHead response;
  BodyFraming framing;
  std::uint64_t left = 0;  // of a body with a length
};

std::expected<std::size_t, ReadFault> HttpReader::State::feed_head(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !head_done()) {
    const auto more = lines.feed(bytes.substr(taken));
    if (!more) return more;
    taken += *more;
    started |= kind == Kind::response || !lines.line().empty();  // blank lines precede requests only
    if (!lines.complete()) break;
    if (const auto accepted = accept_line(lines.line()); !accepted) return std::unexpected(accepted.error());
    lines.next();
  }
  return taken;
}

std::expected<void, ReadFault> HttpReader::State::accept_line(std::string_view line) {
  if (phase == Phase::start_line) return accept_start_line(line);
  if (line.empty()) return end_head();
  if (++header_lines > limits.count) return std::unexpected(ReadFault::head_too_large);
  return parse_header_line(line, kind == Kind::request ? request.headers : response.headers);
}

std::expected<void, ReadFault> HttpReader::State::accept_start_line(std::string_view line) {
  if (kind == Kind::request && line.empty() && blank_lines++ < leading_blank_lines) return {};
  phase = Phase::headers;
  return kind == Kind::request ? parse_request_line(line, request) : parse_status_line(line, response);
}

std::expected<void, ReadFault> HttpReader::State::end_head() {
  const auto announced =
      kind == Kind::request ? complete_request(request) : response_framing(response, no_body);
  if (!announced) return std::unexpected(announced.error());
  if (kind == Kind::response && response.status < 200) {
    if (response.status == 101) return bad_framing;  // we never ask for another protocol
    skip_interim_response();
    return {};
  }
  framing = *announced;
  left = framing.length;
  phase = framing.kind == BodyFraming::Kind::length && left == 0 ? Phase::done : Phase::body;
  return {};
}

// Interim heads share the limits of the final one, so there can't be endlessly many.
void HttpReader::State::skip_interim_response() {
  response = {};
  phase = Phase::start_line;
}

std::expected<std::size_t, ReadFault> HttpReader::State::feed_body(std::string_view bytes,
                                                                   std::string& body) {
  if (framing.kind == BodyFraming::Kind::chunked) {
    const auto taken = chunks.feed(bytes, body);
    if (chunks.done()) phase = Phase::done;
    return taken;
  }
  if (framing.kind == BodyFraming::Kind::until_close) {
    body.append(bytes);
    return bytes.size();
  }
  const auto data = bytes.substr(0, std::min<std::uint64_t>(left, bytes.size()));
  body.append(data);
  skip(data.size());
  return data.size();
}

void HttpReader::State::skip(std::uint64_t bytes) {
  left -= bytes;
  if (left == 0) phase = Phase::done;
}

HttpReader::HttpReader(Kind kind, HeadLimits limits) : state_(std::make_unique<State>(kind, limits)) {}
HttpReader::~HttpReader() = default;
HttpReader::HttpReader(HttpReader&&) noexcept = default;
HttpReader& HttpReader::operator=(HttpReader&&) noexcept = default;

std::expected<std::size_t, ReadFault> HttpReader::feed(std::string_view bytes, std::string& body) {
  switch (state_->phase) {
    case State::Phase::start_line:
    case State::Phase::headers:
      return state_->feed_head(bytes);
    case State::Phase::body:
      return state_->feed_body(bytes, body);
    case State::Phase::done:
      return 0;
  }
  std::unreachable();
}

std::uint64_t HttpReader::body_left() const { return state_->phase == State::Phase::body ? state_->left : 0; }

void HttpReader::skip(std::uint64_t bytes) {
  if (bytes > 0) state_->skip(bytes);
}

std::expected<void, ReadFault> HttpReader::finish() {
  if (done()) return {};
  if (until_close()) {
    state_->phase = State::Phase::done;
    return {};
  }
  if (state_->kind == Kind::request && !started()) return {};
  return std::unexpected(ReadFault::cut_short);
}

bool HttpReader::started() const { return state_->started; }
bool HttpReader::head_done() const { return state_->head_done(); }
bool HttpReader::done() const { return state_->phase == State::Phase::done; }

RequestHead& HttpReader::request() { return state_->request; }
ResponseHead& HttpReader::response() { return state_->response; }

std::optional<std::uint64_t> HttpReader::content_length() const {
  if (!head_done() || state_->framing.kind != BodyFraming::Kind::length) return std::nullopt;
  return state_->framing.length;
}

bool HttpReader::until_close() const { return state_->framing.kind == BodyFraming::Kind::until_close; }

void HttpReader::expect_no_body() { state_->no_body = true; }

void HttpReader::reset() { *state_ = State(state_->kind, state_->limits); }

}  // namespace lmw::wire
