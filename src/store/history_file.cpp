#include "store/history_file.hpp"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

namespace lmw::store {

namespace {

constexpr int layout = 2;  // of the tables; kept as user_version

// What another process holds is no reason to wait: it holds it for as long as it runs.
constexpr const char* taking_it =
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "PRAGMA wal_autocheckpoint = 200;";

constexpr const char* set_up =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS sample ("
    "  model TEXT, resolution INTEGER, at INTEGER, seconds REAL, cached INTEGER, computed INTEGER,"
    "  completion INTEGER, turns INTEGER, unmeasured INTEGER, failed INTEGER, in_flight_seconds REAL,"
    "  in_flight_most INTEGER, ttfb TEXT, held_seconds REAL NOT NULL DEFAULT 0,"
    "  held_most INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (model, resolution, at)) WITHOUT ROWID;"
    "PRAGMA user_version = 2;"
    "COMMIT;";

// Layout 1 did not have what waited.
constexpr const char* from_layout_1 =
    "BEGIN IMMEDIATE;"
    "ALTER TABLE sample ADD COLUMN held_seconds REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE sample ADD COLUMN held_most INTEGER NOT NULL DEFAULT 0;"
    "PRAGMA user_version = 2;"
    "COMMIT;";

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_(database) {
    sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(std::int64_t value) { sqlite3_bind_int64(statement_, ++bound_, value); }
  void bind(double value) { sqlite3_bind_double(statement_, ++bound_, value); }
  void bind(const std::string& value) {
    sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  }
  int step() { return statement_ ? sqlite3_step(statement_) : sqlite3_errcode(database_); }
  void reset() {
    sqlite3_reset(statement_);
    bound_ = 0;
  }

  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  double real(int column) { return sqlite3_column_double(statement_, column); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
                 : "";
  }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

auto failed(sqlite3* database) { return failure(sqlite3_errmsg(database)); }

std::string to_text(const std::array<std::int64_t, ttfb_buckets>& ttfb) {
  return fmt::format("{}", fmt::join(ttfb, ","));
}

std::array<std::int64_t, ttfb_buckets> ttfb_from(std::string_view text) {
  std::array<std::int64_t, ttfb_buckets> ttfb{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (auto& bucket : ttfb) {
    at = std::from_chars(at, end, bucket).ptr;
    if (at != end) ++at;  // the comma
  }
  return ttfb;
}

void bind(Statement& insert, const ModelRow& row) {
  const auto& sample = row.row.sample;
  insert.bind(row.model);
  insert.bind(static_cast<std::int64_t>(row.row.resolution));
  insert.bind(sample.at);
  insert.bind(sample.seconds);
  for (const auto value :
       {sample.cached, sample.computed, sample.completion, sample.turns, sample.unmeasured, sample.failed}) {
    insert.bind(value);
  }
  insert.bind(sample.in_flight_seconds);
  insert.bind(static_cast<std::int64_t>(sample.in_flight_most));
  insert.bind(to_text(sample.ttfb));
  insert.bind(sample.held_seconds);
  insert.bind(static_cast<std::int64_t>(sample.held_most));
}

ModelRow row_of(Statement& select) {
  return {select.text(0),
          {static_cast<std::size_t>(select.integer(1)),
           {.at = select.integer(2),
            .seconds = select.real(3),
            .cached = select.integer(4),
            .computed = select.integer(5),
            .completion = select.integer(6),
            .turns = select.integer(7),
            .unmeasured = select.integer(8),
            .failed = select.integer(9),
            .in_flight_seconds = select.real(10),
            .in_flight_most = static_cast<int>(select.integer(11)),
            .held_seconds = select.real(13),
            .held_most = static_cast<int>(select.integer(14)),
            .ttfb = ttfb_from(select.text(12))}}};
}

}  // namespace

void HistoryFile::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<HistoryFile> HistoryFile::open(const std::string& path) {
  sqlite3* database = nullptr;
  const int opened =
      sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  HistoryFile file(database);
  if (opened != SQLITE_OK) return failure(fmt::format("{}: {}", path, sqlite3_errmsg(database)));
  if (const auto ready = file.make_ready(); !ready) {
    const bool taken = sqlite3_errcode(database) == SQLITE_BUSY;
    return failure(
        fmt::format("{}: {}", path, taken ? "another LM Warden has it open" : ready.error().message));
  }
  return file;
}

Result<void> HistoryFile::make_ready() const {
  if (const auto taken = run(taking_it); !taken) return taken;
  // Not before: another one may have it, and change it until it ends.
  const auto found = layout_found();
  if (!found) return std::unexpected(found.error());
  if (*found > layout) return failure("written by a newer LM Warden");
  if (*found == 1) {
    if (const auto migrated = run(from_layout_1); !migrated) return migrated;
  }
  return run(set_up);
}

Result<std::int64_t> HistoryFile::layout_found() const {
  Statement version(database_.get(), "PRAGMA user_version");
  if (version.step() != SQLITE_ROW) return failed(database_.get());
  return version.integer(0);
}

Result<void> HistoryFile::run(const char* sql) const {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return failed(database_.get());
  return {};
}

Result<void> HistoryFile::read(const std::function<void(const ModelRow&)>& visit) const {
  Statement select(database_.get(), "SELECT * FROM sample ORDER BY model, resolution, at");
  int step = select.step();
  for (; step == SQLITE_ROW; step = select.step()) {
    if (const auto row = row_of(select); row.row.resolution < resolutions.size()) visit(row);
  }
  if (step != SQLITE_DONE) return failed(database_.get());
  return {};
}

Result<void> HistoryFile::write(const std::vector<ModelRow>& rows) {
  if (const auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  Result<void> result;
  {
    Statement insert(database_.get(), "INSERT OR REPLACE INTO sample VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (const auto& row : rows) {
      bind(insert, row);
      if (insert.step() != SQLITE_DONE) {
        result = failed(database_.get());
        break;
      }
      insert.reset();
    }
  }
  if (result) result = run("COMMIT");
  if (!result) (void)run("ROLLBACK");
  return result;
}

Result<void> HistoryFile::trim(std::int64_t now) {
  for (std::size_t i = 0; i < resolutions.size(); ++i) {
    Statement old(database_.get(), "DELETE FROM sample WHERE resolution = ? AND at < ?");
    old.bind(static_cast<std::int64_t>(i));
    old.bind(now - resolutions[i].keep);
    if (old.step() != SQLITE_DONE) return failed(database_.get());
  }
  return {};
}

}  // namespace lmw::store
