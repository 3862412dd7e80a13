// The sizes of synthetic sessions as flags, the same for all that send them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workload/session_shape.hpp"

namespace CLI {
class App;
}

namespace lmw::app {

// What was given on the command line, to be applied to the shape that the command starts from.
struct ShapeFlags {
  std::vector<std::function<void(workload::SessionShape&)>> given;

  void apply(workload::SessionShape& shape) const {
    for (const auto& change : given) change(shape);
  }
};

void add_shape_flags(CLI::App& command, ShapeFlags& flags);

}  // namespace lmw::app
