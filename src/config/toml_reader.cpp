#include "config/toml_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
// Its assertions abort on malformed text (`[[[`), for which it has an error as well.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

namespace lmw::config {
namespace {

std::string place_of(std::string_view name, const toml::source_region& source) {
  return fmt::format("{}:{}:{}", name, source.begin.line, source.begin.column);
}

Value list_of(const toml::array& array) {
  std::vector<std::string> texts;
  for (const auto& item : array) {
    const auto* text = item.as_string();
    if (!text) return Unfit{"a list of other things than texts"};
    texts.push_back(text->get());
  }
  return texts;
}

Value value_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::boolean:
      return node.as_boolean()->get();
    case toml::node_type::integer:
      return node.as_integer()->get();
    case toml::node_type::floating_point:
      return node.as_floating_point()->get();
    case toml::node_type::string:
      return node.as_string()->get();
    case toml::node_type::array:
      return list_of(*node.as_array());
    case toml::node_type::table:
      return Unfit{"a table"};
    default:
      return Unfit{"a date or time"};
  }
}

// The library sorts keys by name; errors should follow the text.
std::vector<std::pair<const toml::key*, const toml::node*>> in_order(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> result;
  for (const auto& [key, node] : table) result.emplace_back(&key, &node);
  std::ranges::sort(result, {}, [](const auto& item) {
    const auto begin = item.first->source().begin;
    return std::pair(begin.line, begin.column);
  });
  return result;
}

class Flattener {
 public:
  explicit Flattener(std::string_view name) : name_(name) {}

  std::vector<TomlEntry> run(const toml::table& root) && {
    for (const auto& [key, node] : in_order(root)) {
      const std::string table(key->str());
      if (const auto* plain = node->as_table()) {
        add_table({table, std::nullopt, std::nullopt, Unfit{"a table"}, place_of(name_, key->source())},
                  *plain);
      } else if (node->is_array_of_tables()) {
        add_elements(table, *node->as_array());
      } else {
        entries_.push_back({"", std::nullopt, table, value_of(*node), place_of(name_, key->source())});
      }
    }
    return std::move(entries_);
  }

 private:
  void add_elements(const std::string& table, const toml::array& array) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      const auto& element = *array.get_as<toml::table>(i);
      add_table({table, i, std::nullopt, Unfit{"a table"}, place_of(name_, element.source())}, element);
    }
  }

  void add_table(const TomlEntry& header, const toml::table& table) {
    entries_.push_back(header);
    for (const auto& [key, node] : in_order(table)) {
      entries_.push_back({header.table, header.element, std::string(key->str()), value_of(*node),
                          place_of(name_, key->source())});
    }
  }

  std::string_view name_;
  std::vector<TomlEntry> entries_;
};

// The library limits the nesting of values but not that of dotted keys, and would use up the stack on a long
// one.
std::optional<std::size_t> line_with_too_many_dots(std::string_view text) {
  constexpr std::size_t most = 1000;
  std::size_t line = 1, dots = 0;
  for (const char c : text) {
    if (c == '.' && ++dots > most) return line;
    if (c != '\n') continue;
    ++line;
    dots = 0;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<TomlEntry>> read_toml(std::string_view text, std::string_view name) {
  if (const auto line = line_with_too_many_dots(text)) {
    return failure(fmt::format("{}:{}:1: the line has too many dots", name, *line));
  }
  const auto parsed = toml::parse(text, std::string(name));
  if (parsed) return Flattener(name).run(parsed.table());
  const auto& error = parsed.error();
  return failure(fmt::format("{}: {}", place_of(name, error.source()), error.description()));
}

}  // namespace lmw::config
