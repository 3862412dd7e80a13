#include "workload/session_source.hpp"

#include <map>

#include "workload/synthetic_plan.hpp"

namespace lmw::workload {

namespace {

class Synthetic : public SessionSource {
 public:
  Synthetic(const SessionShape& shape, int block_size, std::uint64_t seed)
      : shape_(shape), block_size_(block_size), seed_(seed) {}

  std::optional<Session> next(int client) override {
    return plan_session(shape_, block_size_, session_seed(seed_, client, numbers_[client]++));
  }

 private:
  SessionShape shape_;
  int block_size_;
  std::uint64_t seed_;
  std::map<int, std::uint64_t> numbers_;
};

class Recorded : public SessionSource {
 public:
  explicit Recorded(const std::vector<Session>& sessions) : sessions_(sessions) {}

  std::optional<Session> next(int) override {
    if (next_ == sessions_.size()) return std::nullopt;
    return sessions_[next_++];
  }

 private:
  const std::vector<Session>& sessions_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<SessionSource> synthetic_sessions(const SessionShape& shape, int block_size,
                                                  std::uint64_t seed) {
  return std::make_unique<Synthetic>(shape, block_size, seed);
}

std::unique_ptr<SessionSource> recorded_sessions(const std::vector<Session>& sessions) {
  return std::make_unique<Recorded>(sessions);
}

}  // namespace lmw::workload
