// The files of the web page: built into the binary, or read from a folder while the page is being developed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmw::admin {

struct PageFile {
  std::string bytes;
  std::string_view type;
  std::string etag;  // quoted, of the bytes
};

class Page {
 public:
  // `folder`: "" serves what is built in; else files are read anew with each request.
  explicit Page(std::string folder) : folder_(std::move(folder)) {}

  // The file at a path; index.html at the root.
  std::optional<PageFile> find(const std::vector<std::string>& path) const;

 private:
  std::string folder_;
};

// What a browser may load for the page: its own files and its own API, no inline scripts, nothing from
// elsewhere.
inline constexpr std::string_view page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

}  // namespace lmw::admin
