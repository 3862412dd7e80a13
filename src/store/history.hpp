// The history of all models: in memory, and in a file where one can be had.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/series.hpp"

namespace lmw::store {

class History {
 public:
  static constexpr std::size_t max_models = 64;  // of others nothing is kept

  // `path`: the file to go on with; "" keeps the history only in memory. A file that can't be used is no
  // reason to stop: see problem().
  explicit History(const std::string& path);
  ~History();  // after what was added has been written

  // Ten seconds of a model. Never waits for the disk.
  void add(const std::string& model, const Sample& sample);

  // Of `from` (unix seconds) and later. `model`: "" = all, added up.
  std::vector<Sample> since(std::string_view model, std::size_t resolution, std::int64_t from) const;

  // Why the history would not outlive a restart; "" when it would.
  std::string problem() const;

 private:
  class Writer;
  std::map<std::string, Series, std::less<>> models_;
  std::string open_problem_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace lmw::store
