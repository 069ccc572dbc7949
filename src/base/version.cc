#include "base/version.h"

namespace octavo {

std::string_view version() noexcept { return OCTAVO_VERSION; }

}  // namespace octavo
