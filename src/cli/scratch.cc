#include "cli/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "octavo/error.h"

namespace octavo::cli {
namespace fs = std::filesystem;

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "octavo-XXXXXX").string();
  if (!::mkdtemp(name.data()))
    throw Error(ErrorKind::io, fmt::format("no folder can be made in {}: {}",
                                           fs::temp_directory_path().string(),
                                           std::strerror(errno)));
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace octavo::cli
