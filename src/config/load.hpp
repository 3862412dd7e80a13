// Config from its sources, with every fault of every source reported at once. Pure: see sources.hpp for the
// edge.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "config/config.hpp"

namespace lmw::config {

struct File {
  std::string name;  // as errors call it
  std::string text;
};

// Nothing for a variable that is not set; an empty value counts as not set. Variables that mean nothing to us
// are never asked for: Kubernetes makes some of its own for a service named lmwarden.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct Sources {
  std::optional<File> file;
  Environment environment;                                 // empty: none
  std::vector<std::pair<std::string, std::string>> flags;  // {"--listen", ":80"}; the last of a name wins
};

// Where each value came from that is not a default: "listen", "engine[0].url" → "lmwarden.toml:12:1",
// "LMWARDEN_LISTEN" or "--listen". "engine[0]" is where the whole element came from.
using Origins = std::map<std::string, std::string, std::less<>>;

struct Loaded {
  Config config;
  Origins origins;
};

// Later sources win: defaults, file, environment, flags. Engines of the environment and of flags are added to
// those of the file; one whose URL an earlier source has named already stays as it is there. The Config is
// complete: engines without a name are called by their URL, URLs end without a slash. It may have no engine.
std::expected<Loaded, std::vector<Error>> load(const Sources& sources);

}  // namespace lmw::config
