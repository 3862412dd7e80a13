#include "report/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace lmw::report {

namespace {

Result<void> write_all(const std::string& path, const std::string& text) {
  errno = 0;
  auto* file = std::fopen(path.c_str(), "wb");
  if (!file) return failure(fmt::format("can't write {}: {}", path, std::strerror(errno)));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  const bool closed = std::fclose(file) == 0;  // where a full disk may show only now
  if (written && closed) return {};
  return failure(fmt::format("can't write {}: {}", path, std::strerror(written ? errno : error)));
}

}  // namespace

Result<void> write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return {};
    return failure("can't write to standard output");
  }
  std::error_code error;
  // A pipe or a device can't be replaced.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return write_all(path, text);
  }
  const auto part = path + ".part";
  if (auto written = write_all(part, text); !written) {
    std::filesystem::remove(part, error);
    return written;
  }
  std::filesystem::rename(part, path, error);
  if (error) return failure(fmt::format("can't write {}: {}", path, error.message()));
  return {};
}

}  // namespace lmw::report
