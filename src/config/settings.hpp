// The one table of settings. The TOML reader, the environment, the flags, --print-config, the sample file and
// the tables of docs/configuration.md all come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/value.hpp"

namespace lmw::config {

struct Spec {
  std::string_view name;  // as in the file: "limits.body_bytes"; of an [[engine]]: "url"
  std::string_view help;  // one sentence
  Rule rule;
  // The initialisers let a row of the table end early (-Wmissing-field-initializers).
  // NOLINTBEGIN(readability-redundant-member-init)
  std::string_view unset = {};    // what holds while it is not given, where there is no default value
  std::string_view example = {};  // TOML, where there is no default value
  // NOLINTEND(readability-redundant-member-init)

  std::string_view section() const;  // "limits", or "" at the top
  std::string_view key() const;      // "body_bytes"
};

// A setting of Config, of one Engine or of one Model.
template <class Owner>
struct Setting {
  Spec spec;
  Field (*field)(Owner&);
};

// The settings of one section stand together, those of the top level first.
std::span<const Setting<Config>> settings();
std::span<const Setting<Engine>> engine_settings();  // [[engine]]
std::span<const Setting<Model>> model_settings();    // [[model]]

inline constexpr std::string_view engine_list = "engine";
inline constexpr std::string_view model_list = "model";

// "limits.body_bytes" → "--limits-body-bytes" and "LMWARDEN_LIMITS_BODY_BYTES".
std::string flag_name(std::string_view setting);
std::string variable_name(std::string_view setting);

// What `lmwarden serve` takes: each setting of Config, and --engine. All take a value.
struct Flag {
  std::string name;  // "--limits-body-bytes"
  std::string help;  // with what is allowed and the default
  bool repeats = false;
};
std::vector<Flag> flags();

}  // namespace lmw::config
