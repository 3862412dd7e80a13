// The stored reports: JSON files as `lmwarden bench, lab or demo --json FILE` writes them, in one folder.
// What is put there by hand is listed too. It reads and writes the disk, and waits for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "report/report.hpp"

namespace lmw::admin {

class Reports {
 public:
  static constexpr std::size_t most = 100;
  static constexpr std::size_t most_bytes = 512u << 10;  // of one

  // `folder`: made when it is needed; "" = none is set, and nothing can be stored.
  explicit Reports(std::string folder) : folder_(std::move(folder)) {}

  struct Entry {
    std::string id;
    std::int64_t made = 0;  // unix seconds
    std::uintmax_t bytes = 0;
    Result<report::Report> report;  // an error: the file holds none
  };
  // The newest first.
  std::vector<Entry> list() const;
  Result<report::Report> read(std::string_view id) const;
  // Its id, made of the title and the time.
  Result<std::string> add(const report::Report& report, std::int64_t now);
  // Whether it was there.
  Result<bool> remove(std::string_view id);

  // Why another one can't be stored, for those who are about to make one; "" when it can.
  std::string problem() const;
  const std::string& folder() const { return folder_; }

 private:
  std::filesystem::path path(std::string_view id) const { return folder_ + "/" + std::string(id) + ".json"; }
  std::string problem_unlocked() const;

  std::string folder_;
  mutable std::mutex mutex_;
};

// A file's name without its ending: 1 to 120 of [A-Za-z0-9._-], and no dot at the begin.
bool is_report_id(std::string_view id);

}  // namespace lmw::admin
