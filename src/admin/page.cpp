#include "admin/page.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

extern "C" {
// In page_files.S.
extern const char lmw_page_index_html[], lmw_page_index_html_end[];
extern const char lmw_page_app_js[], lmw_page_app_js_end[];
extern const char lmw_page_app_css[], lmw_page_app_css_end[];
extern const char lmw_page_icon_svg[], lmw_page_icon_svg_end[];
}

namespace lmw::admin {

namespace {

struct BuiltIn {
  std::string_view name, type;
  const char *begin, *end;
};

const std::array files{
    BuiltIn{"index.html", "text/html; charset=utf-8", lmw_page_index_html, lmw_page_index_html_end},
    BuiltIn{"app.js", "text/javascript; charset=utf-8", lmw_page_app_js, lmw_page_app_js_end},
    BuiltIn{"app.css", "text/css; charset=utf-8", lmw_page_app_css, lmw_page_app_css_end},
    BuiltIn{"icon.svg", "image/svg+xml", lmw_page_icon_svg, lmw_page_icon_svg_end}};

}  // namespace

std::optional<PageFile> Page::find(const std::vector<std::string>& path) const {
  if (path.size() > 1) return std::nullopt;
  const std::string_view name = path.empty() || path[0].empty() ? "index.html" : std::string_view(path[0]);
  const auto file = std::ranges::find(files, name, &BuiltIn::name);
  if (file == files.end()) return std::nullopt;
  PageFile found{.bytes = std::string(file->begin, file->end), .type = file->type};
  if (!folder_.empty()) {
    std::ifstream in(folder_ + "/" + std::string(name), std::ios::binary);
    if (!in) return std::nullopt;
    found.bytes.assign(std::istreambuf_iterator(in), {});
  }
  found.etag = fmt::format("\"{:016x}\"", XXH3_64bits(found.bytes.data(), found.bytes.size()));
  return found;
}

}  // namespace lmw::admin
