// The history in SQLite. One process at a time; survives being killed at any point with the last write that
// returned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/series.hpp"

struct sqlite3;

namespace lmw::store {

struct ModelRow {
  std::string model;
  Row row;
};

class HistoryFile {
 public:
  // Makes the file where there is none. An error says what is wrong with it, or that another process has it.
  static Result<HistoryFile> open(const std::string& path);

  // All that is kept, each series in order of time.
  Result<void> read(const std::function<void(const ModelRow&)>& visit) const;
  // In one transaction. A row replaces the one of its model, resolution and time.
  Result<void> write(const std::vector<ModelRow>& rows);
  // Deletes what is older than its resolution keeps.
  Result<void> trim(std::int64_t now);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit HistoryFile(sqlite3* database) : database_(database) {}
  Result<void> make_ready() const;
  Result<void> run(const char* sql) const;
  Result<std::int64_t> layout_found() const;  // 0: of no file of ours yet

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace lmw::store
