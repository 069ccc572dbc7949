#include "quant/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>

#include "base/sha256.h"
#include "base/version.h"
#include "quant/ort/preset.h"

namespace octavo {
namespace {

constexpr size_t kStep = 256 * 1024;  // stays in the cache between the two
constexpr uint64_t kHexDigits = 64;

// Hashes on a thread of its own from the start; SHA-256 cannot be split, and
// takes longer than all the quantizing.
class SourceHash : public LazyBytes {
 public:
  SourceHash(Bytes source, std::shared_ptr<const MappedFile> file)
      : hex_(std::async(std::launch::async,
                        [=, this] { return hash(source, file.get()); })) {}
  ~SourceHash() override { stop_ = true; }

  void fill(uint64_t, std::span<std::byte> out) const override {
    std::memcpy(out.data(), hex_.get().data(), out.size());
  }
  uint64_t grain() const override { return kHexDigits; }
  bool late() const override { return true; }

 private:
  std::string hash(Bytes source, const MappedFile* file) const {
    Sha256 sha;
    std::vector<std::byte> buffer(file ? kStep : 0);
    for (size_t i = 0; i < source.size() && !stop_; i += kStep) {
      const size_t n = std::min(kStep, source.size() - i);
      Bytes piece = source.subspan(i, n);
      if (file) {
        file->read(i, {buffer.data(), n});
        piece = Bytes(buffer).first(n);
      }
      sha.update(piece);
    }
    return sha.finish_hex();
  }

  std::atomic<bool> stop_ = false;
  std::shared_future<std::string> hex_;  // its end waits for the thread
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
  std::string text = fmt::format("{} {}", r.name,
                                 r.per_channel ? "per-channel" : "per-tensor");
  if (ort::is_preset(r.name))
    text += fmt::format(" weight-type={}", dtype_name(r.weight_type));
  else
    text += fmt::format(" min-bytes={}", r.min_bytes);
  if (r.conv != ConvMode::storage)
    text += fmt::format(" conv={}", conv_mode_name(r.conv));
  if (r.weights != WeightForm::dynamic)
    text += fmt::format(" weights={}", weight_form_name(r.weights));
  if (r.weights == WeightForm::int4 || r.weights == WeightForm::int8) {
    text += fmt::format(" block={}", r.block);
    if (r.asymmetric) text += " asymmetric";
    if (r.accuracy_level != 0)
      text += fmt::format(" accuracy-level={}", r.accuracy_level);
  }
  if (r.scaling != Scaling::range)
    text += fmt::format(" scale={}", scaling_name(r.scaling));
  if (r.standard_ops) text += " standard-ops";
  if (r.keep_opset && r.wishes.empty()) text += " keep-opset";
  if (r.reduce_range) text += " reduce-range";
  for (const auto& p : r.assume_constant)
    text += fmt::format(" assume-constant={}", p);
  for (const auto& p : r.include) text += fmt::format(" include={}", p);
  for (const auto& p : r.exclude) text += fmt::format(" exclude={}", p);
  for (const auto& p : r.ops) text += fmt::format(" ops={}", p);
  for (const auto& p : r.scopes) text += fmt::format(" scope={}", p);
  if (!r.wishes.empty()) text += " plan";
  return text;
}

void add_provenance(ModelData& model, const Recipe& recipe, bool source_hash) {
  entry(model.proto, kProvenanceVersion)
      .set_value(fmt::format("octavo {}", version()));
  entry(model.proto, kProvenanceRecipe).set_value(recipe_text(recipe));
  if (!source_hash) {
    auto& entries = *model.proto.mutable_metadata_props();
    for (int i = entries.size() - 1; i >= 0; --i)
      if (entries.Get(i).key() == kProvenanceSource)
        entries.DeleteSubrange(i, 1);
    return;
  }
  auto& source = entry(model.proto, kProvenanceSource);
  source.clear_value();
  source.set_blob(model.add_blob(lazy_blob(
      kHexDigits, std::make_shared<SourceHash>(model.source, model.file))));
}

}  // namespace octavo
