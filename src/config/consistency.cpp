#include "config/consistency.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/url.hpp"
#include "config/settings.hpp"

namespace lmw::config {
namespace {

class Checker {
 public:
  Checker(const Loaded& loaded, std::vector<Error>& errors)
      : config_(loaded.config), origins_(loaded.origins), errors_(errors) {}

  void run() {
    listeners();
    for (std::size_t i = 0; i < config_.engines.size(); ++i) engine(i);
    for (std::size_t i = 0; i < config_.models.size(); ++i) model(i);
    aliases();
  }

 private:
  void listeners();
  void engine(std::size_t i);
  void model(std::size_t i);
  void engines_of(const Model& model, const std::string& element);
  void aliases();
  void complain(const std::string& element, std::string_view key, std::string_view problem);

  const Config& config_;
  const Origins& origins_;
  std::vector<Error>& errors_;
};

std::string element_name(std::string_view list, std::size_t i) { return fmt::format("{}[{}]", list, i); }

// At the place of the key, or of its element where the key was not given.
void Checker::complain(const std::string& element, std::string_view key, std::string_view problem) {
  auto place = origins_.find(element.empty() ? std::string(key) : fmt::format("{}.{}", element, key));
  if (place == origins_.end()) place = origins_.find(element);
  const auto& where = place == origins_.end() ? "configuration" : place->second;
  errors_.push_back({fmt::format("{}: {}: {}", where, key, problem)});
}

void Checker::listeners() {
  const auto api = parse_listen(config_.listen), admin = parse_listen(config_.admin_listen);
  if (admin && !is_loopback(admin->host) && config_.admin_token.empty()) {
    complain("", "admin_listen",
             fmt::format("'{}' can be reached from elsewhere: set admin_token too", config_.admin_listen));
  }
  if (!api || !admin || api->port != admin->port || api->port == 0) return;
  const bool overlap = api->host == admin->host || api->host.empty() || admin->host.empty();
  if (!overlap) return;
  const bool admin_is_default = !origins_.contains("admin_listen");
  complain("", admin_is_default ? "listen" : "admin_listen",
           fmt::format("listen '{}' and admin_listen '{}' overlap", config_.listen, config_.admin_listen));
}

void Checker::engine(std::size_t i) {
  const auto& engine = config_.engines[i];
  const auto element = element_name(engine_list, i);
  if (engine.url.empty()) {
    if (!origins_.contains(element + ".url")) complain(element, "url", "is missing");
    return;
  }
  const auto earlier = std::span(config_.engines).first(i);
  if (std::ranges::any_of(earlier, [&](const Engine& e) { return is_same_origin(e.url, engine.url); })) {
    complain(element, "url", fmt::format("there is an engine at '{}' already", engine.url));
  } else if (std::ranges::find(earlier, engine.name, &Engine::name) != earlier.end()) {
    complain(element, "name", fmt::format("there is an engine '{}' already", engine.name));
  }
}

void Checker::model(std::size_t i) {
  const auto& model = config_.models[i];
  const auto element = element_name(model_list, i);
  engines_of(model, element);
  if (model.name.empty()) {
    if (!origins_.contains(element + ".name")) complain(element, "name", "is missing");
    return;
  }
  const auto earlier = std::span(config_.models).first(i);
  if (std::ranges::find(earlier, model.name, &Model::name) != earlier.end()) {
    complain(element, "name", fmt::format("there is a model '{}' already", model.name));
  }
}

void Checker::engines_of(const Model& model, const std::string& element) {
  std::vector<const Engine*> seen;
  for (const auto& wanted : model.engines) {
    const auto is_it = [&](const Engine& e) { return e.name == wanted || is_same_origin(e.url, wanted); };
    const auto found = std::ranges::find_if(config_.engines, is_it);
    if (found == config_.engines.end()) {
      complain(element, "engines", fmt::format("there is no engine '{}'", wanted));
    } else if (std::ranges::find(seen, &*found) != seen.end()) {
      complain(element, "engines", fmt::format("'{}' stands there twice", wanted));
    } else {
      seen.push_back(&*found);
    }
  }
}

// Equal texts only: that two patterns overlap is allowed, the first model that matches has it.
void Checker::aliases() {
  std::map<std::string_view, std::string_view> taken;  // a name → the model that answers to it
  for (const auto& model : config_.models) taken.emplace(model.name, model.name);
  for (std::size_t i = 0; i < config_.models.size(); ++i) {
    for (const auto& alias : config_.models[i].aliases) {
      const auto [other, is_new] = taken.emplace(alias, config_.models[i].name);
      if (is_new) continue;
      const auto problem = fmt::format("'{}' is a name of model '{}' already", alias, other->second);
      complain(element_name(model_list, i), "aliases", problem);
    }
  }
}

}  // namespace

void check_consistency(const Loaded& loaded, std::vector<Error>& errors) { Checker(loaded, errors).run(); }

}  // namespace lmw::config
