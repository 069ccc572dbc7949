#include "model/blob.h"

#include <cstring>

namespace octavo {

Blob view_blob(Bytes bytes, std::shared_ptr<const MappedFile> file) {
  const MappedFile* of = file.get();
  return {bytes.size(), bytes, nullptr, std::move(file), of};
}

Blob owned_blob(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  const Bytes view = *owner;
  return {view.size(), view, nullptr, std::move(owner), nullptr};
}

Blob lazy_blob(uint64_t size, std::shared_ptr<const LazyBytes> lazy) {
  return {size, {}, std::move(lazy), nullptr, nullptr};
}

void fill_blob(const Blob& blob, uint64_t begin, std::span<std::byte> out) {
  if (blob.lazy) {
    blob.lazy->fill(begin, out);
  } else {
    const Bytes from = blob.view.subspan(begin, out.size());
    std::memcpy(out.data(), from.data(), from.size());
  }
}

}  // namespace octavo
