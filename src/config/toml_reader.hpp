// TOML text as a flat list of what it says, in the order of the text. Knows no setting.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/value.hpp"

namespace lmw::config {

// One `key = value`, or one header of a table, which comes before the keys of that table.
struct TomlEntry {
  std::string table;                   // "" at the top level; "limits" of [limits], "engine" of [[engine]]
  std::optional<std::size_t> element;  // of a [[table]]: which one, from 0
  std::optional<std::string> key;      // none where this is the header
  Value value;
  std::string place;  // file:line:column of the key
};

// Fails at the first fault of the syntax, with its place. `name` is the file's, for places only.
Result<std::vector<TomlEntry>> read_toml(std::string_view text, std::string_view name);

}  // namespace lmw::config
