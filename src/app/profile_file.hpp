// Profiles of hardware and model, by name or from a file that `lmwarden calibrate` has written.
#pragma once

#include <string>

#include "base/result.hpp"
#include "replica/profile.hpp"

namespace lmw::app {

// A name of replica::profiles(), or a file. Errors name what is known, or what is wrong in the file.
Result<replica::Profile> load_profile(const std::string& name_or_file);

// The help of --profile.
std::string profile_help();

// As JSON, with whatever `about` adds for people to read.
std::string profile_json(const replica::Profile& profile,
                         const std::vector<std::pair<std::string, std::string>>& about);

}  // namespace lmw::app
