#include "quant/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/sha256.h"
#include "base/version.h"
#include "model/mapped_file.h"

namespace octavo {
namespace {

constexpr size_t kStep = 1 << 20;
constexpr uint64_t kHexDigits = 64;

class SourceHash : public LazyBytes {
 public:
  explicit SourceHash(Bytes source, bool mapped)
      : source_(source), mapped_(mapped) {}

  void fill(uint64_t, std::span<std::byte> out) const override {
    Sha256 sha;
    for (size_t i = 0; i < source_.size(); i += kStep) {
      const Bytes piece =
          source_.subspan(i, std::min(kStep, source_.size() - i));
      sha.update(piece);
      if (mapped_) drop_pages(piece);
    }
    const std::string hex = sha.finish_hex();
    std::memcpy(out.data(), hex.data(), out.size());
  }
  uint64_t grain() const override { return kHexDigits; }

 private:
  Bytes source_;
  bool mapped_;
};

onnx::StringStringEntryProto& entry(onnx::ModelProto& model, const char* key) {
  for (auto& e : *model.mutable_metadata_props())
    if (e.key() == key) return e;
  auto* e = model.add_metadata_props();
  e->set_key(key);
  return *e;
}

}  // namespace

std::string recipe_text(const Recipe& r) {
  std::string text =
      fmt::format("{} {} min-bytes={}", r.name,
                  r.per_channel ? "per-channel" : "per-tensor", r.min_bytes);
  if (r.conv == ConvMode::integer) text += " conv=integer";
  if (r.conv == ConvMode::keep) text += " conv=keep";
  if (r.standard_ops) text += " standard-ops";
  return text;
}

void add_provenance(ModelData& model, const Recipe& recipe) {
  entry(model.proto, kProvenanceVersion)
      .set_value(fmt::format("octavo {}", version()));
  entry(model.proto, kProvenanceRecipe).set_value(recipe_text(recipe));
  auto& source = entry(model.proto, kProvenanceSource);
  source.clear_value();
  source.set_blob(model.add_blob(lazy_blob(
      kHexDigits,
      std::make_shared<SourceHash>(model.source, !model.path.empty()))));
}

}  // namespace octavo
