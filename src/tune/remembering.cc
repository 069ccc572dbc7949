#include "tune/remembering.h"

#include <span>

#include "base/sha256.h"

namespace octavo {
namespace {

template <typename T>
Bytes bytes_of(const T& v) {
  return std::as_bytes(std::span(&v, 1));
}

void add_text(Sha256& hash, const std::string& text) {
  const uint64_t size = text.size();
  hash.update(bytes_of(size));
  hash.update(std::as_bytes(std::span(text)));
}

void add_value(Sha256& hash, const Value& v) {
  const int64_t head[] = {static_cast<int64_t>(v.kind),
                          static_cast<int64_t>(v.tensor.type),
                          static_cast<int64_t>(v.tensor.shape.size()),
                          static_cast<int64_t>(v.items.size())};
  hash.update(std::as_bytes(std::span(head)));
  hash.update(std::as_bytes(std::span(v.tensor.shape)));
  hash.update(v.tensor.bytes);
  for (const std::string& s : v.tensor.strings) add_text(hash, s);
  for (const Value& item : v.items) add_value(hash, item);
}

uint64_t size_of(const Value& v) {
  uint64_t size = sizeof v + v.tensor.bytes.size();
  for (const std::string& s : v.tensor.strings) size += sizeof s + s.size();
  for (const Value& item : v.items) size += size_of(item);
  return size;
}

}  // namespace

std::string feed_key(const Feed& feed) {
  Sha256 hash;
  for (const auto& [name, value] : feed.inputs) {
    add_text(hash, name);
    add_value(hash, value);
  }
  return hash.finish_hex();
}

std::vector<Value> RememberingRunner::run(const Feed& feed) {
  std::string key = feed_key(feed);
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  std::vector<Value> out = runner_.run(feed);
  uint64_t size = key.size();
  for (const Value& v : out) size += size_of(v);
  if (size <= left_) {
    left_ -= size;
    known_.emplace(std::move(key), out);
  }
  return out;
}

}  // namespace octavo
