// What a sequence's answer owes to the padding behind it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <type_traits>

#include "compare/element.h"
#include "compare/probe_parts.h"
#include "compare/rows.h"

namespace octavo {
namespace {

constexpr int64_t kLongest = 16;  // of padding, or as long again

bool is_mask(const std::string& name) {
  std::string low;
  for (const char c : name)
    low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low.find("mask") != std::string::npos;
}

// Token inputs that share an axis: the mask and all inputs of its shape.
struct Tokens {
  int64_t length = 0;
  const Tensor* mask = nullptr;
};

std::optional<Tokens> tokens_of(const Batch& batch, const Runner& model) {
  for (const auto& [name, value] : batch.feed.inputs) {
    const Tensor& t = value.tensor;
    if (!is_mask(name) || value.kind != ValueKind::tensor ||
        t.shape.size() != 2 || measure_of(t.type) == Measure::none)
      continue;
    for (const Port& p : model.inputs())
      if (p.name == name && p.dims.size() == 2 && p.dims[1].value < 0)
        return Tokens{t.shape[1], &t};
  }
  return std::nullopt;
}

bool is_zero(const Tensor& t, int64_t i) {
  const Scalar v = element_at(t.type, t.bytes, i);
  return std::visit(
      [](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::string>)
          return false;
        else
          return x == 0;
      },
      v);
}

// The element that stands where the mask is 0, or else zeros: padding's own.
std::vector<std::byte> filler(const Tensor& t, const Tensor& mask) {
  const size_t width =
      t.bytes.size() / static_cast<size_t>(element_count(t.shape));
  if (t.shape == mask.shape && &t != &mask)
    for (int64_t i = 0; i < element_count(mask.shape); ++i)
      if (is_zero(mask, i)) {
        const auto at =
            t.bytes.begin() + static_cast<std::ptrdiff_t>(width) * i;
        return {at, at + static_cast<std::ptrdiff_t>(width)};
      }
  return std::vector<std::byte>(width);
}

// An output with the padding's part gone, and zeros where the mask is 0: what
// stands there is nobody's answer.
Value answers(const Value& value, const Tokens& tokens, int64_t length) {
  if (value.kind != ValueKind::tensor || value.tensor.shape.size() < 2 ||
      value.tensor.type == DType::string)
    return value;
  const auto& shape = value.tensor.shape;
  if (shape[0] != tokens.mask->shape[0] || shape[1] != length) return value;
  Tensor out = cut(value.tensor, 1, tokens.length);
  const size_t width =
      out.bytes.size() / static_cast<size_t>(element_count(tokens.mask->shape));
  for (int64_t i = 0; i < element_count(tokens.mask->shape); ++i)
    if (is_zero(*tokens.mask, i))
      std::fill_n(out.bytes.begin() + static_cast<std::ptrdiff_t>(width) * i,
                  width, std::byte{0});
  return out;
}

bool is_token_input(const Value& value, const Tensor& mask) {
  return value.kind == ValueKind::tensor && value.tensor.shape == mask.shape &&
         value.tensor.type != DType::string;
}

Feed lengthened(const Feed& feed, const Tensor& mask, int64_t extra) {
  Feed out = feed;
  for (auto& [name, value] : out.inputs) {
    if (!is_token_input(value, mask)) continue;
    auto fill = filler(value.tensor, mask);
    if (is_mask(name)) std::fill(fill.begin(), fill.end(), std::byte{0});
    value = padded(value.tensor, 1, extra, fill);
  }
  return out;
}

// Elements at the end of every row where the mask is 0.
int64_t spare(const Tensor& mask) {
  const int64_t rows = mask.shape[0], length = mask.shape[1];
  int64_t least = length;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t n = 0;
    while (n < length && is_zero(mask, (r + 1) * length - 1 - n)) ++n;
    least = std::min(least, n);
  }
  return least;
}

Movement moved(const ProbeSubject& model, const Feed& usual,
               const Feed& changed, const Tokens& tokens, int64_t usual_length,
               int64_t changed_length) {
  const auto a = model.usual->run(usual);
  const auto b = model.usual->run(changed);
  Movement most;
  for (size_t o = 0; o < a.size() && o < b.size(); ++o)
    add_movement(most, model.usual->outputs()[o].name,
                 answers(a[o], tokens, usual_length),
                 answers(b[o], tokens, changed_length));
  return most;
}

// The sample with the most padding, without it: for models that take no
// longer sequences.
bool unpad(Probe& probe, const ProbeSubject& original, const ProbeSubject& copy,
           const SampleSource& source) {
  Feed best;
  int64_t most = 0;
  for (const SingleSample& sample : single_samples(source)) {
    const Batch one = {sample.feed, 0, 1, ""};
    const auto tokens = tokens_of(one, *original.usual);
    if (!tokens) continue;
    const int64_t n = spare(*tokens->mask);
    if (n <= most || n >= tokens->length) continue;
    most = n;
    best = sample.feed;
  }
  if (most == 0) return false;
  const Batch one = {best, 0, 1, ""};
  const Tokens full = *tokens_of(one, *original.usual);
  Feed shorter = best;
  for (auto& [name, value] : shorter.inputs)
    if (is_token_input(value, *full.mask))
      value = cut(value.tensor, 1, full.length - most);
  const Batch cut_one = {shorter, 0, 1, ""};
  const Tokens tokens = *tokens_of(cut_one, *original.usual);
  probe.skipped.clear();
  probe.what = fmt::format("a sample without its {} of padding", most);
  measure(probe, original, copy, [&](const ProbeSubject& model) {
    return moved(model, best, shorter, tokens, full.length, tokens.length);
  });
  return true;
}

}  // namespace

Probe probe_padding(const ProbeSubject& original, const ProbeSubject& copy,
                    const SampleSource& source) {
  Probe probe;
  probe.name = "padding";
  const Batch batch = source.batch(0);
  const auto tokens = tokens_of(batch, *original.usual);
  if (!tokens || tokens->length == 0 || tokens->mask->shape[0] == 0) {
    probe.skipped = "no input named like a mask has a length that may change";
    return probe;
  }
  const int64_t extra = std::min(tokens->length, kLongest);
  probe.what = fmt::format("the same samples with {} more of padding", extra);
  const Feed longer = lengthened(batch.feed, *tokens->mask, extra);
  measure(probe, original, copy, [&](const ProbeSubject& model) {
    return moved(model, batch.feed, longer, *tokens, tokens->length,
                 tokens->length + extra);
  });
  if (!probe.original && !unpad(probe, original, copy, source))
    probe.skipped =
        "the model takes no longer sequences, and no sample has padding";
  return probe;
}

}  // namespace octavo
