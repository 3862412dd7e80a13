#include "config/print.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "config/settings.hpp"

namespace lmw::config {
namespace {

// Calls visit(spec, field) for each setting and, before those of a section, open(section).
void for_each_section(Config& config, auto open, auto visit) {
  std::string_view section;
  for (const auto& setting : settings()) {
    if (setting.spec.section() != section) open(section = setting.spec.section());
    visit(setting.spec, setting.field(config));
  }
}

// --- effective configuration

class Effective {
 public:
  explicit Effective(const Loaded& loaded) : origins_(loaded.origins), config_(loaded.config) {}

  std::string run() && {
    for_each_section(
        config_, [&](std::string_view section) { text_ += fmt::format("\n[{}]\n", section); },
        [&](const Spec& spec, Field field) { line(spec, field, spec.name); });
    list(engine_list, engine_settings(), config_.engines);
    list(model_list, model_settings(), config_.models);
    return std::move(text_);
  }

 private:
  void line(const Spec& spec, Field field, std::string_view origin_name) {
    const auto value = to_toml(spec.rule, field);
    if (!value) {
      text_ += fmt::format("# {}: {}\n", spec.key(), spec.unset);
      return;
    }
    const auto origin = origins_.find(origin_name);
    const auto comment = origin == origins_.end() ? "" : fmt::format("  # {}", origin->second);
    text_ += fmt::format("{} = {}{}\n", spec.key(), *value, comment);
  }

  template <class Owner>
  void list(std::string_view name, std::span<const Setting<Owner>> table, std::vector<Owner>& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      text_ += fmt::format("\n[[{}]]\n", name);
      for (const auto& [spec, field] : table) {
        line(spec, field(elements[i]), fmt::format("{}[{}].{}", name, i, spec.name));
      }
    }
  }

  const Origins& origins_;
  Config config_;  // a copy, since fields are writable
  std::string text_;
};

// --- sample file

std::string sample_line(const Spec& spec, Field field) {
  const auto value =
      spec.example.empty() ? to_toml(spec.rule, field).value_or("") : std::string(spec.example);
  const auto otherwise = spec.unset.empty() ? "" : fmt::format(" Default: {}.", spec.unset);
  return fmt::format("# {}{}\n#{} = {}\n", spec.help, otherwise, spec.key(), value);
}

template <class Owner>
std::string sample_list(std::string_view name, std::span<const Setting<Owner>> table) {
  auto result = fmt::format("\n#[[{}]]\n", name);
  Owner defaults;
  for (const auto& [spec, field] : table) result += sample_line(spec, field(defaults));
  return result;
}

// --- documentation

std::string row(const Spec& spec, Field field) {
  const auto value = spec.unset.empty() ? fmt::format("`{}`", to_toml(spec.rule, field).value_or(""))
                                        : std::string(spec.unset);
  return fmt::format("| `{}` | {} | {} | {} |\n", spec.key(), describe(spec.rule, field), value, spec.help);
}

constexpr std::string_view table_head = "\n| setting | value | default | meaning |\n|---|---|---|---|\n";

template <class Owner>
std::string markdown_list(std::string_view name, std::span<const Setting<Owner>> table) {
  auto result = fmt::format("\n### `[[{}]]`\n{}", name, table_head);
  Owner defaults;
  for (const auto& [spec, field] : table) result += row(spec, field(defaults));
  return result;
}

}  // namespace

std::string effective_toml(const Loaded& loaded) { return Effective(loaded).run(); }

std::string sample_toml() {
  std::string result =
      "# Every setting of LM Warden with its default. All of it is optional but the URLs of the engines, "
      "which may\n"
      "# also be given as --engine URL or in LMWARDEN_ENGINE. See configuration.md.\n\n";
  Config defaults;
  for_each_section(
      defaults, [&](std::string_view section) { result += fmt::format("\n[{}]\n", section); },
      [&](const Spec& spec, Field field) { result += sample_line(spec, field); });
  return result + sample_list(engine_list, engine_settings()) + sample_list(model_list, model_settings());
}

std::string settings_markdown() {
  std::string result = fmt::format("### Top level\n{}", table_head);
  Config defaults;
  for_each_section(
      defaults,
      [&](std::string_view section) { result += fmt::format("\n### `[{}]`\n{}", section, table_head); },
      [&](const Spec& spec, Field field) { result += row(spec, field); });
  return result + markdown_list(engine_list, engine_settings()) + markdown_list(model_list, model_settings());
}

}  // namespace lmw::config
