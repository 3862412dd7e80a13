// What a text of the configuration may be, one function for each kind.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace lmw::config {

inline constexpr std::string_view log_levels = "trace, debug, info, warn, error";

inline constexpr std::string_view admissions = "auto, on, off";

Result<void> check_admission(std::string_view text);
// May be empty: as the top-level setting.
Result<void> check_model_admission(std::string_view text);
Result<void> check_listen(std::string_view text);
Result<void> check_log_level(std::string_view text);
Result<void> check_engine_url(std::string_view text);
// Something, without control characters.
Result<void> check_name(std::string_view text);
// Fit for a request header; may be empty. The error does not repeat it.
Result<void> check_key(std::string_view text);
// A key that people guess at from outside: at least 16 characters, or none at all.
Result<void> check_token(std::string_view text);
// May be empty; without control characters.
Result<void> check_folder(std::string_view text);

}  // namespace lmw::config
