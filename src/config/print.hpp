// The settings written out for people: what is in force, a sample file, the tables of docs/configuration.md.
#pragma once

#include <string>

#include "config/load.hpp"

namespace lmw::config {

// `--print-config`: the effective configuration as TOML that loads again, each value that is not a default
// with a comment that says where it came from. Secrets are masked.
std::string effective_toml(const Loaded& loaded);

// docs/lmwarden.toml: every setting with its meaning and default, commented out (`#key = value`; text: `#
// words`).
std::string sample_toml();

// The tables of docs/configuration.md.
std::string settings_markdown();

}  // namespace lmw::config
