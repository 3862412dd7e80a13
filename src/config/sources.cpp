#include "config/sources.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "config/quantity.hpp"

namespace lmw::config {
namespace {

Result<File> read_file(const std::string& path) {
  const auto unreadable = [&] {
    return failure(fmt::format("can't read '{}': {}", path, std::generic_category().message(errno)));
  };
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return unreadable();
  File file{path, std::string(max_file_bytes + 1, '\0')};  // one more, to see what is too large
  stream.read(file.text.data(), static_cast<std::streamsize>(file.text.size()));
  if (stream.bad()) return unreadable();
  file.text.resize(static_cast<std::size_t>(stream.gcount()));
  if (file.text.size() <= max_file_bytes) return file;
  return failure(fmt::format("'{}' is larger than {}", path, format_size(max_file_bytes)));
}

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

Result<Sources> gather_sources(const std::string& path,
                               std::vector<std::pair<std::string, std::string>> flags) {
  Sources sources{.file = std::nullopt, .environment = variable, .flags = std::move(flags)};
  if (path.empty()) return sources;
  auto file = read_file(path);
  if (!file) return std::unexpected(std::move(file.error()));
  sources.file = std::move(*file);
  return sources;
}

}  // namespace lmw::config
