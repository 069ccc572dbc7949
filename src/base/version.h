// This build's version, as `octavo --version` and a model's provenance say it.
#pragma once

#include <string_view>

namespace octavo {

std::string_view version() noexcept;

}  // namespace octavo
