// Client ids as keyed 64-bit hashes: equal ids give equal keys, and the ids can't be read back from what is
// kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/identity.hpp"
#include "routing/ids.hpp"

namespace lmw::routing {

struct TurnKey {
  ConversationKey conversation;
  GroupKey group;
  std::optional<ConversationKey> parent;
};

class KeyHasher {
 public:
  explicit KeyHasher(std::uint64_t secret) : secret_(secret) {}

  // `scope` keeps the ids of different API keys apart. Nothing when the identity has no id.
  std::optional<TurnKey> hash(const Identity& identity, std::string_view scope) const;
  std::uint64_t secret() const { return secret_; }

 private:
  std::uint64_t secret_;
};

}  // namespace lmw::routing
