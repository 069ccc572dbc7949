#include "model/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::TempFolder;
using testing::write_file;

std::string noise(size_t n) {
  Random random(3);
  std::string s(n, '\0');
  for (char& c : s) c = static_cast<char>(random.next());
  return s;
}

// A file that is removed at the end.
struct Scratch {
  fs::path path;
  ~Scratch() {
    std::error_code ec;
    fs::remove(path, ec);
  }
};

TEST(OutputFile, CopiesPartsOfMappedFilesFromAnyFileSystem) {
  const TempFolder dir;
  const std::string content = noise((1 << 20) + 123);
  // Memory is a file system of its own, which most systems have here.
  for (const fs::path& folder : {dir.path(), fs::path("/dev/shm")}) {
    const Scratch source{folder /
                         ("octavo-test-source-" + std::to_string(::getpid()))};
    write_file(source.path, content);
    if (read_file(source.path) != content) continue;  // not writable
    const auto file = MappedFile::open(source.path);
    // Aligned, as a reflink wants it, and odd.
    for (const size_t skip : {size_t{4096}, size_t{5}}) {
      OutputFile out(dir / "out", content.size());
      const Bytes part = file->bytes().subspan(skip);
      out.copy(skip, *file, part.first(4096 * 3));
      out.copy(skip + 4096 * 3, *file, part.subspan(4096 * 3));
      out.write(0, file->bytes().first(skip));
      out.commit(false);
      EXPECT_EQ(read_file(dir / "out"), content) << folder << skip;
    }
  }
}

}  // namespace
}  // namespace octavo
