// `lmwarden doctor`: what we find at each engine, and what to do about it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace lmw::app {

struct DoctorOptions {
  std::vector<std::string> urls;
  std::string api_key;  // "" = none
  bool json = false;    // one JSON document instead of tables
  bool probe = true;    // send each engine two short chat requests
};

// Prints a report. The exit status: 1 when an engine can't be reached or used, else 0.
int run_doctor(const DoctorOptions& options, std::ostream& out);

}  // namespace lmw::app
