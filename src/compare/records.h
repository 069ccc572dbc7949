// What the statistics of a task have in common: a list of one plain record a
// sample, sorted by sample, merged by appending, packed field by field. A
// record type R names its fields in `fields(io, r)`.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "compare/pack.h"

namespace octavo {

// Shared by the metrics made of it; in the order of samples, so that shards
// give what one run gives.
template <typename R>
using Records = std::shared_ptr<const std::vector<R>>;

template <typename R>
Records<R> sorted_records(std::vector<R> records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const R& a, const R& b) { return a.sample < b.sample; });
  return std::make_shared<const std::vector<R>>(std::move(records));
}

template <typename R>
void append_records(std::vector<R>& to, const std::vector<R>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <typename R>
void put_records(Packer& out, const std::vector<R>& records) {
  out.put(static_cast<uint64_t>(records.size()));
  for (const R& r : records) R::fields([&](const auto& v) { out.put(v); }, r);
}

template <typename R>
void get_records(Unpacker& in, std::vector<R>& records) {
  // Each has eight bytes at least, so the bytes bound what this takes.
  records.resize(in.count(sizeof(int64_t)));
  for (R& r : records) R::fields([&](auto& v) { in.get(v); }, r);
}

}  // namespace octavo
