#include "model/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "octavo/error.h"

namespace octavo {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path,
                         const std::string& why) {
  throw Error(ErrorKind::io, fmt::format("{}: {}", path.string(), why));
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(
    const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) refuse(path, "there is no such file; check the path.");
    if (errno == EACCES)
      refuse(path,
             "the file may not be read by this user; check its permissions.");
    refuse(path,
           fmt::format("the file cannot be opened: {}.", std::strerror(errno)));
  }
  struct stat st{};
  const bool known = ::fstat(fd, &st) == 0;
  const bool directory = known && S_ISDIR(st.st_mode);
  const bool regular = known && S_ISREG(st.st_mode);
  std::shared_ptr<MappedFile> file(new MappedFile);
  void* p = nullptr;
  int error = 0;
  if (regular && st.st_size > 0) {
    p = ::mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ, MAP_PRIVATE,
               fd, 0);
    if (p == MAP_FAILED) error = errno;
  }
  file->fd_ = fd;
  file->path_ = path;
  if (directory)
    refuse(path,
           "this is a directory, where a model file was expected; name "
           "the .onnx file in it.");
  if (!regular) refuse(path, "this is no regular file.");
  if (st.st_size == 0)
    refuse(path, "the file is empty; export or download the model again.");
  if (error != 0)
    refuse(path,
           fmt::format("the file cannot be mapped: {}.", std::strerror(error)));
  file->bytes_ = {static_cast<const std::byte*>(p),
                  static_cast<size_t>(st.st_size)};
  return file;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty())
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (fd_ >= 0) ::close(fd_);
}

void MappedFile::read(uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t n =
        ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      refuse(path_,
             fmt::format("the file cannot be read: {}.", std::strerror(errno)));
    if (n == 0)
      refuse(path_,
             "the file became shorter while it was read; try again "
             "when nobody writes to it.");
    out = out.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
}

void drop_pages(Bytes bytes) noexcept {
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t begin = (first + page - 1) / page * page;
  const uintptr_t end = (first + bytes.size()) / page * page;
  if (begin < end)
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace octavo
