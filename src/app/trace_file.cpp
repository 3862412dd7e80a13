#include "app/trace_file.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

namespace lmw::app {

namespace {

constexpr std::size_t max_bytes = std::size_t{4} << 30;

// gzread passes through what is not compressed.
Result<std::string> read_text(const std::string& path) {
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return failure(fmt::format("can't read {}: {}", path, std::strerror(errno)));
  std::string text, buffer(1 << 20, '\0');
  while (true) {
    const int got = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    int error = 0;
    const char* why = gzerror(file.get(), &error);
    // A file that is cut short is only noticed at its end, and reads as Z_BUF_ERROR.
    if (got < 0 || (got == 0 && error != Z_OK)) {
      return failure(fmt::format("can't read {}: {}", path, error == Z_ERRNO ? std::strerror(errno) : why));
    }
    if (got == 0) return text;
    text.append(buffer, 0, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) return failure(fmt::format("{} has more than {} bytes", path, max_bytes));
  }
}

}  // namespace

Result<workload::Trace> load_trace(const std::string& path, const workload::TraceOptions& options) {
  const auto text = read_text(path);
  if (!text) return std::unexpected(text.error());
  auto trace = workload::read_trace(*text, options);
  if (!trace) return failure(fmt::format("{}: {}", path, trace.error().message));
  return trace;
}

}  // namespace lmw::app
