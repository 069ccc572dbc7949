#include "runtime/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/names.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// Deflate makes at most 1032 bytes of one; a larger claim is a lie.
constexpr uint64_t kMaxDeflate = 1032;

std::string zip_words(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string words = zip_error_strerror(&error);
  zip_error_fini(&error);
  return words;
}

}  // namespace

struct NpzFile::Archive {
  struct Member {
    uint64_t index = 0;
    uint64_t bytes = 0;  // uncompressed, as claimed
    uint64_t packed = 0;
    bool stored = false;
  };

  std::string file;
  zip_t* zip = nullptr;
  std::mutex mutex;  // libzip's handles are not for several threads
  std::vector<std::string> keys;
  std::map<std::string, Member> members;

  ~Archive() { zip_discard(zip); }
};

namespace {

// Reads forward through a member; goes back by starting again. libzip seeks in
// stored members only, and one failed attempt spoils its handle.
class Member : public ByteSource {
 public:
  Member(std::shared_ptr<void> keep, zip_t* zip, std::mutex& mutex,
         uint64_t index, bool stored, int64_t size, std::string name)
      : keep_(std::move(keep)),
        zip_(zip),
        mutex_(mutex),
        index_(index),
        stored_(stored),
        size_(size),
        name_(std::move(name)) {}

  ~Member() override {
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) zip_fclose(file_);
  }

  int64_t size() const override { return size_; }
  const std::string& name() const override { return name_; }

  void read(int64_t offset, std::span<std::byte> out) const override {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) start();
    if (offset != at_ && stored_) {
      if (zip_fseek(file_, offset, SEEK_SET) != 0) refuse();
      at_ = offset;
    }
    if (offset < at_) start();
    std::byte skipped[4096];
    while (at_ < offset)
      fill({skipped, static_cast<size_t>(
                         std::min<int64_t>(sizeof skipped, offset - at_))});
    fill(out);
    // Reading past the end is what makes libzip compare the checksum.
    std::byte past;
    if (at_ == size_ && zip_fread(file_, &past, 1) < 0) refuse();
  }

 private:
  void start() const {
    if (file_ != nullptr) zip_fclose(file_);
    at_ = 0;
    file_ = zip_fopen_index(zip_, index_, 0);
    if (file_ == nullptr)
      throw Error(ErrorKind::format,
                  fmt::format("{} cannot be opened: {}; save it again with "
                              "numpy.savez.",
                              name_, zip_strerror(zip_)));
  }

  void fill(std::span<std::byte> out) const {
    for (size_t done = 0; done < out.size();) {
      const zip_int64_t got =
          zip_fread(file_, out.data() + done, out.size() - done);
      if (got <= 0) refuse();
      done += static_cast<size_t>(got);
      at_ += got;
    }
  }

  [[noreturn]] void refuse() const {
    const char* words = zip_error_strerror(zip_file_get_error(file_));
    throw Error(ErrorKind::format,
                fmt::format("{} ends or breaks at byte {} of {} ({}); the "
                            "archive is damaged.",
                            name_, at_, size_, words));
  }

  std::shared_ptr<void> keep_;  // the archive
  zip_t* zip_;
  std::mutex& mutex_;
  uint64_t index_;
  bool stored_;  // not compressed: can be read at any offset
  int64_t size_;
  std::string name_;
  mutable zip_file_t* file_ = nullptr;
  mutable int64_t at_ = 0;
};

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& path)
    : archive_(std::make_shared<Archive>()) {
  Archive& archive = *archive_;
  archive.file = path.string();
  check_file(path);
  int code = 0;
  archive.zip = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (archive.zip == nullptr)
    throw Error(code == ZIP_ER_OPEN || code == ZIP_ER_READ ? ErrorKind::io
                                                           : ErrorKind::format,
                fmt::format("'{}' cannot be read as an .npz archive: {}; save "
                            "it with numpy.savez.",
                            archive.file, zip_words(code)));
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  const zip_int64_t count = zip_get_num_entries(archive.zip, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(archive.zip, index, 0, &stat) != 0 ||
        (stat.valid & kNeeded) != kNeeded)
      continue;
    std::string key = stat.name;
    if (!key.ends_with(".npy")) continue;
    key.resize(key.size() - 4);
    if (!archive.members
             .emplace(key, Archive::Member{index, stat.size, stat.comp_size,
                                           stat.comp_method == ZIP_CM_STORE})
             .second)
      throw Error(
          ErrorKind::format,
          fmt::format("'{}' holds two arrays named '{}'.", archive.file, key));
    archive.keys.push_back(std::move(key));
  }
}

NpzFile::~NpzFile() = default;
NpzFile::NpzFile(NpzFile&&) noexcept = default;

const std::vector<std::string>& NpzFile::keys() const { return archive_->keys; }

bool NpzFile::has(const std::string& key) const {
  return archive_->members.count(key) != 0;
}

std::unique_ptr<ByteSource> NpzFile::open(const std::string& key) const {
  const auto found = archive_->members.find(key);
  if (found == archive_->members.end()) {
    const std::string hint = did_you_mean(key, archive_->keys);
    throw Error(ErrorKind::usage,
                fmt::format("'{}' has no array '{}'; {}{}it has {}.",
                            archive_->file, key, hint, hint.empty() ? "" : " ",
                            name_list(archive_->keys)));
  }
  const Archive::Member& member = found->second;
  const std::string name = fmt::format("'{}' of '{}'", key, archive_->file);
  if (member.bytes / kMaxDeflate > member.packed + 64)
    throw Error(ErrorKind::format,
                fmt::format("{} claims to hold {} bytes in {}, more than a zip "
                            "archive can; it is damaged or hostile.",
                            name, member.bytes, member.packed));
  if (member.bytes > static_cast<uint64_t>(INT64_MAX))
    throw Error(ErrorKind::format,
                fmt::format("{} claims {} bytes.", name, member.bytes));
  return std::make_unique<Member>(archive_, archive_->zip, archive_->mutex,
                                  member.index, member.stored,
                                  static_cast<int64_t>(member.bytes), name);
}

}  // namespace octavo
