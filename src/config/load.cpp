#include "config/load.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/url.hpp"
#include "config/consistency.hpp"
#include "config/nearest.hpp"
#include "config/settings.hpp"
#include "config/text_checks.hpp"
#include "config/toml_reader.hpp"

namespace lmw::config {
namespace {

template <class Owner>
const Setting<Owner>* find(std::span<const Setting<Owner>> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, [](const auto& setting) { return setting.spec.name; });
  return found == table.end() ? nullptr : &*found;
}

template <class Owner>
std::vector<std::string> names(std::span<const Setting<Owner>> table) {
  std::vector<std::string> result;
  for (const auto& setting : table) result.emplace_back(setting.spec.name);
  return result;
}

std::string suggestion(std::string_view word, std::vector<std::string> candidates) {
  const auto name = nearest(word, candidates);
  return name ? fmt::format("; did you mean '{}'?", *name) : "";
}

bool is_section(std::string_view name) {
  const auto is_it = [&](const auto& setting) { return setting.spec.section() == name; };
  return !name.empty() && std::ranges::any_of(settings(), is_it);
}

bool is_list(std::string_view name) { return name == engine_list || name == model_list; }

class Loader {
 public:
  void read_file(const File& file);
  void read_environment(const Environment& environment);
  void read_flags(const std::vector<std::pair<std::string, std::string>>& flags);
  std::expected<Loaded, std::vector<Error>> finish() &&;

 private:
  void complain(std::string_view place, std::string_view problem) {
    errors_.push_back({fmt::format("{}: {}", place, problem)});
  }

  bool is_misplaced(const TomlEntry& entry);
  void read_entry(const TomlEntry& entry);
  template <class Owner>
  void read_element(std::span<const Setting<Owner>> table, std::vector<Owner>& list, const TomlEntry& entry);
  void read_text(const Setting<Config>& setting, std::string_view text, const std::string& origin);
  void add_engines(const std::vector<std::string>& urls, const std::string& origin);

  Loaded loaded_;
  std::vector<Error> errors_;
};

void Loader::read_file(const File& file) {
  const auto entries = read_toml(file.text, file.name);
  if (!entries) {
    errors_.push_back(entries.error());
    return;
  }
  for (const auto& entry : *entries) {
    if (is_misplaced(entry)) continue;
    if (entry.table == engine_list) {
      read_element(engine_settings(), loaded_.config.engines, entry);
    } else if (entry.table == model_list) {
      read_element(model_settings(), loaded_.config.models, entry);
    } else if (entry.key) {
      read_entry(entry);
    }
  }
}

// Whether the entry's table, or its key in place of a table, is none of ours. Said once, at the table's
// header.
bool Loader::is_misplaced(const TomlEntry& entry) {
  const bool header = !entry.key;
  const bool top = entry.table.empty() && !header;
  const auto& name = top ? *entry.key : entry.table;
  if (is_list(name)) {
    if (entry.element) return false;
    if (top || header) complain(entry.place, fmt::format("write [[{0}]], once for each {0}", name));
    return true;
  }
  if (is_section(name)) {
    if (!top && !entry.element) return false;
    if (top || header) complain(entry.place, fmt::format("write [{}], once", name));
    return true;
  }
  if (top) return false;
  if (!header) return true;
  std::vector<std::string> known = names(settings());
  known.insert(known.end(), {std::string(engine_list), std::string(model_list)});
  for (const auto& setting : settings()) known.emplace_back(setting.spec.section());
  complain(entry.place, fmt::format("unknown table '{}'{}", name, suggestion(name, std::move(known))));
  return true;
}

void Loader::read_entry(const TomlEntry& entry) {
  const auto name = entry.table.empty() ? *entry.key : fmt::format("{}.{}", entry.table, *entry.key);
  const auto* setting = find(settings(), name);
  if (!setting) {
    complain(entry.place, fmt::format("unknown setting '{}'{}", name, suggestion(name, names(settings()))));
    return;
  }
  loaded_.origins[name] = entry.place;
  if (const auto done = assign(setting->spec.rule, setting->field(loaded_.config), entry.value); !done) {
    complain(entry.place, fmt::format("{}: {}", name, done.error().message));
  }
}

template <class Owner>
void Loader::read_element(std::span<const Setting<Owner>> table, std::vector<Owner>& list,
                          const TomlEntry& entry) {
  const auto element = fmt::format("{}[{}]", entry.table, *entry.element);
  if (!entry.key) {
    list.emplace_back();
    loaded_.origins[element] = entry.place;
    return;
  }
  const auto* setting = find(table, *entry.key);
  if (!setting) {
    const auto hint = suggestion(*entry.key, names(table));
    complain(entry.place, fmt::format("unknown setting '{}' of [[{}]]{}", *entry.key, entry.table, hint));
    return;
  }
  loaded_.origins[fmt::format("{}.{}", element, *entry.key)] = entry.place;
  if (const auto done = assign(setting->spec.rule, setting->field(list.back()), entry.value); !done) {
    complain(entry.place, fmt::format("{}: {}", *entry.key, done.error().message));
  }
}

void Loader::read_environment(const Environment& environment) {
  if (!environment) return;
  for (const auto& setting : settings()) {
    const auto variable = variable_name(setting.spec.name);
    const auto text = environment(variable);
    if (text && !text->empty()) read_text(setting, *text, variable);
  }
  const auto variable = variable_name(engine_list);
  const auto text = environment(variable);
  if (!text || text->empty()) return;
  std::vector<std::string> urls;
  add_engines(std::get<std::vector<std::string>>(from_text(&urls, *text)), variable);
}

void Loader::read_flags(const std::vector<std::pair<std::string, std::string>>& flags) {
  const auto engine_flag = flag_name(engine_list);
  std::vector<std::string> urls;
  for (const auto& [flag, text] : flags) {
    if (flag == engine_flag) {
      urls.push_back(text);
      continue;
    }
    const auto is_it = [&](const auto& setting) { return flag_name(setting.spec.name) == flag; };
    const auto found = std::ranges::find_if(settings(), is_it);
    if (found != settings().end()) {
      read_text(*found, text, flag);
      continue;
    }
    std::vector<std::string> known = {engine_flag};
    for (const auto& setting : settings()) known.push_back(flag_name(setting.spec.name));
    complain(flag, fmt::format("unknown flag{}", suggestion(flag, std::move(known))));
  }
  add_engines(urls, engine_flag);
}

void Loader::read_text(const Setting<Config>& setting, std::string_view text, const std::string& origin) {
  const auto field = setting.field(loaded_.config);
  loaded_.origins[std::string(setting.spec.name)] = origin;
  if (const auto done = assign(setting.spec.rule, field, from_text(field, text)); !done) {
    complain(origin, done.error().message);
  }
}

void Loader::add_engines(const std::vector<std::string>& urls, const std::string& origin) {
  auto& engines = loaded_.config.engines;
  const auto earlier = engines.size();  // of this source each URL is added, so that a duplicate is found out
  for (const auto& url : urls) {
    const auto is_it = [&](const Engine& engine) { return is_same_origin(engine.url, url); };
    if (std::ranges::any_of(std::span(engines).first(earlier), is_it)) continue;
    const auto element = fmt::format("{}[{}]", engine_list, engines.size());
    loaded_.origins[element] = origin;
    loaded_.origins[element + ".url"] = origin;
    engines.emplace_back().url = url;
    if (const auto checked = check_engine_url(url); !checked) complain(origin, checked.error().message);
  }
}

std::expected<Loaded, std::vector<Error>> Loader::finish() && {
  for (auto& engine : loaded_.config.engines) {
    while (engine.url.ends_with('/')) engine.url.pop_back();
    if (engine.name.empty()) engine.name = engine.url;
  }
  check_consistency(loaded_, errors_);
  if (!errors_.empty()) return std::unexpected(std::move(errors_));
  return std::move(loaded_);
}

}  // namespace

std::expected<Loaded, std::vector<Error>> load(const Sources& sources) {
  Loader loader;
  if (sources.file) loader.read_file(*sources.file);
  loader.read_environment(sources.environment);
  loader.read_flags(sources.flags);
  return std::move(loader).finish();
}

}  // namespace lmw::config
