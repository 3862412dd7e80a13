#include "admin/reports.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "report/file.hpp"
#include "report/json.hpp"

namespace lmw::admin {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".json";
constexpr std::size_t longest_id = 120;
constexpr std::size_t longest_slug = 60;

bool is_plain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// "Lab: published" → "lab-published"
std::string slug(std::string_view title) {
  std::string out;
  for (const char c : title.substr(0, longest_slug)) {
    if (is_plain(c)) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "report" : out;
}

std::int64_t unix_time(fs::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(system).count();
}

Result<report::Report> read_file(const fs::path& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return failure(fmt::format("can't read it: {}", error.message()));
  if (bytes > Reports::most_bytes)
    return failure(fmt::format("it is larger than {} bytes", Reports::most_bytes));
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator(in), {});
  return report::from_json(text);
}

// The ids of all files that may be reports.
std::vector<std::string> ids(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const auto name = it->path().filename().string();
    const auto id = name.substr(0, name.size() - std::min(name.size(), ending.size()));
    if (name.ends_with(ending) && is_report_id(id) && it->is_regular_file(error)) found.push_back(id);
  }
  return found;
}

}  // namespace

bool is_report_id(std::string_view id) {
  return !id.empty() && id.size() <= longest_id && id.front() != '.' &&
         std::ranges::all_of(id, [](char c) { return is_plain(c) || c == '.' || c == '_' || c == '-'; });
}

std::vector<Reports::Entry> Reports::list() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Entry> entries;
  for (const auto& id : ids(folder_)) {
    std::error_code error;
    const auto made = fs::last_write_time(path(id), error);
    const auto bytes = error ? 0 : fs::file_size(path(id), error);
    if (error) continue;  // gone meanwhile
    entries.push_back({id, unix_time(made), bytes, failure("")});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(b.made, b.id) < std::tie(a.made, a.id);
  });
  if (entries.size() > most) entries.resize(most, {{}, 0, 0, failure("")});
  for (auto& entry : entries) entry.report = read_file(path(entry.id));
  return entries;
}

Result<report::Report> Reports::read(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  std::error_code error;
  if (folder_.empty() || !is_report_id(id) || !fs::exists(path(id), error))
    return failure("there is no such report");
  return read_file(path(id));
}

Result<std::string> Reports::add(const report::Report& report, std::int64_t now) {
  const std::scoped_lock lock(mutex_);
  if (const auto why = problem_unlocked(); !why.empty()) return failure(why);
  const auto text = report::to_json(report);
  if (text.size() > most_bytes) return failure(fmt::format("it is larger than {} bytes", most_bytes));
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return failure(fmt::format("can't make {}: {}", folder_, error.message()));
  const auto first = fmt::format("{}-{:%Y%m%d-%H%M%S}", slug(report.title), fmt::gmtime(now));
  auto id = first;
  for (int n = 2; fs::exists(path(id), error); ++n) id = fmt::format("{}-{}", first, n);
  if (auto written = report::write_file(path(id), text); !written) return std::unexpected(written.error());
  return id;
}

Result<bool> Reports::remove(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  if (folder_.empty() || !is_report_id(id)) return false;
  std::error_code error;
  const bool removed = fs::remove(path(id), error);
  if (error) return failure(fmt::format("can't delete it: {}", error.message()));
  return removed;
}

std::string Reports::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_unlocked();
}

std::string Reports::problem_unlocked() const {
  if (folder_.empty()) return "no data directory is set";
  if (ids(folder_).size() >= most) return fmt::format("{} reports are stored: delete one first", most);
  return "";
}

}  // namespace lmw::admin
