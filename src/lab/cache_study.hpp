// The prefix caches of recorded sessions alone: requests in their recorded order, no time that passes, no
// request that holds blocks while it runs. A check of the lab against numbers that others can compute.
#pragma once

#include <vector>

#include "workload/session.hpp"

namespace lmw::lab {

enum class Split {
  sticky,       // the j-th session on cache j mod n
  round_robin,  // the i-th request on cache i mod n
};

struct CacheStudy {
  int caches = 1;
  double capacity_tokens = 0;  // of all caches; may be infinite
  Split split = Split::sticky;
  int block_size = 16;
  Duration stagger{};  // the j-th session starts j times this later than recorded
};

// Prompt tokens found, in percent. Of a prompt its full blocks can be found.
double hits_pct(const CacheStudy& study, const std::vector<workload::Session>& sessions);

}  // namespace lmw::lab
