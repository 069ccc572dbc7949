#include "model/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "octavo/error.h"

namespace octavo {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& target, int error) {
  const char* advice = "";
  if (error == ENOENT || error == ENOTDIR)
    advice = "; create the folder first, or choose another output";
  if (error == EACCES || error == EPERM || error == EROFS)
    advice = "; choose an output folder that you may write to";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    advice = "; make room or choose an output on another disk";
  throw Error(ErrorKind::io,
              fmt::format("{}: the file cannot be written: {}{}. Nothing was "
                          "changed.",
                          target.string(), std::strerror(error), advice));
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

std::string prefix_of(const fs::path& target) {
  return "." + target.filename().string() + ".octavo-";
}

// A writer holds a lock on its temporary file while it lives; one without a
// lock belongs to a process that was killed.
void remove_abandoned(const fs::path& target) {
  const std::string prefix = prefix_of(target);
  std::error_code ec;
  for (fs::directory_iterator it(folder_of(target), ec), end; !ec && it != end;
       it.increment(ec)) {
    if (!it->path().filename().string().starts_with(prefix)) continue;
    const int fd = ::open(it->path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(it->path().c_str());
    ::close(fd);
  }
}

}  // namespace

OutputFile::OutputFile(const fs::path& target, uint64_t size)
    : target_(target) {
  static std::atomic<unsigned> serial{0};
  if (fs::is_directory(target))
    throw Error(ErrorKind::io,
                fmt::format("{}: this is a directory, where the name of the "
                            "output file was expected.",
                            target.string()));
  remove_abandoned(target);
  const fs::path temporary =
      folder_of(target) /
      fmt::format("{}{}-{}.tmp", prefix_of(target), ::getpid(), ++serial);
  fd_ = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(target, errno);
  temporary_ = temporary;
  ::flock(fd_, LOCK_EX | LOCK_NB);
  if (size > 0) {
    int error = ::posix_fallocate(fd_, 0, static_cast<off_t>(size));
    if (error == EOPNOTSUPP || error == EINVAL)
      error = ::ftruncate(fd_, static_cast<off_t>(size)) == 0 ? 0 : errno;
    if (error != 0) {
      ::close(fd_);
      ::unlink(temporary_.c_str());
      refuse(target, error);
    }
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(uint64_t offset, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) refuse(target_, n < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
}

void OutputFile::copy(uint64_t offset, const MappedFile& from, Bytes bytes) {
#ifdef __linux__
  auto in = static_cast<off64_t>(from.offset_of(bytes));
  auto out = static_cast<off64_t>(offset);
  while (system_copies_ && !bytes.empty()) {
    const ssize_t n =
        ::copy_file_range(from.descriptor(), &in, fd_, &out, bytes.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {  // other file systems, old kernels; or what write() will tell
      system_copies_ = false;
      break;
    }
    bytes = bytes.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
#endif
  write(offset, bytes);
}

void OutputFile::start_sync() noexcept {
#ifdef SYNC_FILE_RANGE_WRITE
  ::sync_file_range(fd_, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}

void OutputFile::commit(bool sync) {
  struct stat old{};
  if (::stat(target_.c_str(), &old) == 0) ::fchmod(fd_, old.st_mode & 07777);
  if (sync && ::fsync(fd_) != 0) refuse(target_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    refuse(target_, errno);
  temporary_.clear();
  if (!sync) return;
  // The rename itself reaches the disk with the folder.
  const int dir = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY);
  if (dir >= 0) {
    ::fsync(dir);
    ::close(dir);
  }
}

}  // namespace octavo
