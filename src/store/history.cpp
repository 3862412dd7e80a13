#include "store/history.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "store/history_file.hpp"

namespace lmw::store {

// Owns the file, and writes to it on a thread of its own.
class History::Writer {
 public:
  explicit Writer(HistoryFile file) : file_(std::move(file)), thread_([this] { run(); }) {}
  ~Writer() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void push(std::vector<ModelRow> rows) {
    {
      const std::lock_guard lock(mutex_);
      // Minutes and hours are written whole again with the next rows: what is dropped is ten seconds.
      if (queue_.size() >= max_queue) queue_.pop_front();
      queue_.push_back(std::move(rows));
    }
    wake_.notify_one();
  }

  std::string problem() const {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  static constexpr std::size_t max_queue = 8 * max_models;
  static constexpr std::int64_t trim_every = 3600;  // seconds of samples

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const auto rows = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      const auto written = write(rows);
      lock.lock();
      problem_ = written ? "" : written.error().message;
    }
  }

  Result<void> write(const std::vector<ModelRow>& rows) {
    const auto now = rows.front().row.sample.at;
    if (now - trimmed_ >= trim_every) {
      if (const auto trimmed = file_.trim(now); !trimmed) return trimmed;
      trimmed_ = now;
    }
    return file_.write(rows);
  }

  HistoryFile file_;
  std::int64_t trimmed_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::vector<ModelRow>> queue_;
  std::string problem_;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

History::History(const std::string& path) {
  if (path.empty()) {
    open_problem_ = "no data directory is set";
    return;
  }
  auto file = HistoryFile::open(path);
  Result<void> read;
  if (file) {
    read = file->read([this](const ModelRow& row) {
      if (models_.size() < max_models || models_.contains(row.model)) models_[row.model].restore(row.row);
    });
  }
  if (!file || !read) {
    open_problem_ = file ? read.error().message : file.error().message;
    return;
  }
  writer_ = std::make_unique<Writer>(std::move(*file));
}

History::~History() = default;

void History::add(const std::string& model, const Sample& sample) {
  if (models_.size() >= max_models && !models_.contains(model)) return;
  std::vector<ModelRow> changed;
  for (const auto& row : models_[model].add(sample)) changed.push_back({model, row});
  if (writer_) writer_->push(std::move(changed));
}

std::vector<Sample> History::since(std::string_view model, std::size_t resolution, std::int64_t from) const {
  if (!model.empty()) {
    const auto found = models_.find(model);
    return found == models_.end() ? std::vector<Sample>() : found->second.since(resolution, from);
  }
  std::map<std::int64_t, Sample> sums;
  for (const auto& [name, series] : models_) {
    for (const auto& sample : series.since(resolution, from)) {
      const auto [sum, is_new] = sums.emplace(sample.at, sample);
      if (is_new) continue;
      const double seconds = std::max(sum->second.seconds, sample.seconds);  // they passed beside each other
      sum->second.add(sample);
      sum->second.seconds = seconds;
    }
  }
  std::vector<Sample> all;
  for (const auto& [at, sample] : sums) all.push_back(sample);
  return all;
}

std::string History::problem() const { return writer_ ? writer_->problem() : open_problem_; }

}  // namespace lmw::store
