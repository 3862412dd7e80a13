#include "routing/key.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lmw::routing {

std::optional<TurnKey> KeyHasher::hash(const Identity& identity, std::string_view scope) const {
  if (identity.source == KeySource::none) return std::nullopt;
  // Each part's hash seeds the next one's, so that no two lists of parts run into the same bytes.
  const auto chain = [](std::string_view part, std::uint64_t seed) {
    return XXH3_64bits_withSeed(part.data(), part.size(), seed);
  };
  const auto group = chain(identity.group, chain(scope, secret_));
  TurnKey key{ConversationKey(chain(identity.member, group)), GroupKey(group), std::nullopt};
  if (identity.parent) key.parent = ConversationKey(chain(*identity.parent, group));
  return key;
}

}  // namespace lmw::routing
