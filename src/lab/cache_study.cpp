#include "lab/cache_study.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "replica/block_lru.hpp"

namespace lmw::lab {

namespace {

struct Arrival {
  Duration at;
  std::size_t session;
  const workload::Turn* turn;
};

std::vector<Arrival> in_order(const CacheStudy& study, const std::vector<workload::Session>& sessions) {
  std::vector<Arrival> all;
  for (std::size_t j = 0; j < sessions.size(); ++j) {
    const auto start = sessions[j].start + study.stagger * static_cast<std::int64_t>(j);
    for (const auto& agent : sessions[j].agents) {
      for (const auto& turn : agent.turns) all.push_back({start + turn.recorded_at, j, &turn});
    }
  }
  std::ranges::sort(all, {}, [](const Arrival& a) { return std::tuple(a.at, a.session, a.turn); });
  return all;
}

}  // namespace

double hits_pct(const CacheStudy& study, const std::vector<workload::Session>& sessions) {
  const auto count = static_cast<std::size_t>(study.caches);
  std::vector<replica::BlockLru> caches(
      count, replica::BlockLru(std::floor(study.capacity_tokens / study.caches / study.block_size)));
  double found = 0, asked = 0;
  std::size_t number = 0;
  for (const auto& arrival : in_order(study, sessions)) {
    auto& cache = caches[(study.split == Split::sticky ? arrival.session : number++) % count];
    auto blocks = workload::block_numbers(arrival.turn->content);
    blocks.resize(
        std::min(blocks.size(), static_cast<std::size_t>(arrival.turn->prompt_tokens / study.block_size)));
    found += static_cast<double>(cache.leading_hits(blocks)) * study.block_size;
    asked += arrival.turn->prompt_tokens;
    cache.use(blocks);
  }
  return asked > 0 ? 100 * found / asked : 0;
}

}  // namespace lmw::lab
