// Generated inputs: for a person who has no samples yet. What each type gets
// by default stands in octavo/samples.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/element.h"
#include "base/names.h"
#include "base/random.h"
#include "octavo/error.h"
#include "runtime/feed_check.h"
#include "runtime/sample_sources.h"

namespace octavo {
namespace {

constexpr int64_t kDefaultDim = 16;
// Doubles count integers exactly up to here.
constexpr double kMaxInteger = 9007199254740992.0;  // 2^53

bool name_has(std::string_view name, std::string_view part) {
  return std::search(name.begin(), name.end(), part.begin(), part.end(),
                     [](char a, char b) {
                       return (a | 0x20) == b;  // `part` is lower case
                     }) != name.end();
}

// What one input is filled with.
struct Filling {
  enum class Kind { normal, uniform, integer } kind = Kind::normal;
  double low = 0;  // uniform: [low, high)
  double high = 1;
  int64_t first = 0;  // integer: first + [0, count)
  uint64_t count = 1;
};

Filling integers(int64_t first, uint64_t count) {
  return {Filling::Kind::integer, 0, 0, first, count};
}

Filling default_filling(const Port& port) {
  const bool mask = name_has(port.name, "mask");
  switch (port.type) {
    case DType::float32:
    case DType::float64:
    case DType::float16:
    case DType::bfloat16:
    case DType::complex64:
    case DType::complex128:
      return {};
    case DType::boolean:
      return mask ? integers(1, 1) : integers(0, 2);
    case DType::uint8:
    case DType::int8:
    case DType::uint16:
    case DType::int16:
    case DType::uint32:
    case DType::int32:
    case DType::uint64:
    case DType::int64:
      if (mask) return integers(1, 1);
      if (name_has(port.name, "type")) return integers(0, 1);
      if (port.type == DType::uint8) return integers(0, 256);
      if (port.type == DType::int8) return integers(-128, 256);
      return integers(0, 100);
    default:
      throw Error(ErrorKind::unsupported,
                  fmt::format("no values are generated for the input '{}' "
                              "({}); give it with --input {}=FILE.",
                              port.name, port_text(port), port.name));
  }
}

// The smallest and largest value of an integer type, as far as doubles count.
std::pair<double, double> limits_of(DType type) {
  const int bits = dtype_bits(type);
  const bool is_signed = type == DType::int8 || type == DType::int16 ||
                         type == DType::int32 || type == DType::int64;
  const double top =
      std::min(std::ldexp(1.0, is_signed ? bits - 1 : bits), kMaxInteger);
  return {is_signed ? -top : 0, top - 1};
}

Filling ranged_filling(const Port& port, SampleSpec::Range range) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        ErrorKind::usage,
        fmt::format("the range {}:{} of the input '{}' ({}) {}.", range.low,
                    range.high, port.name, port_text(port), why));
  };
  if (!std::isfinite(range.low) || !std::isfinite(range.high) ||
      range.low > range.high)
    refuse("must go from a number up to another");
  if (is_float(port.type))
    return {Filling::Kind::uniform, range.low, range.high, 0, 1};
  if (!is_integer(port.type) || dtype_bits(port.type) < 8)
    refuse("cannot be used: only floats and integers take one");
  const double first = std::ceil(range.low);
  const double count = std::ceil(range.high) - first;
  if (count < 1) refuse("holds no integer (the upper end is not included)");
  const auto [smallest, largest] = limits_of(port.type);
  if (first < smallest || first + count - 1 > largest)
    refuse("does not fit the type");
  return integers(static_cast<int64_t>(first), static_cast<uint64_t>(count));
}

void fill(Tensor& tensor, const Filling& filling, Random& random) {
  const bool is_complex =
      tensor.type == DType::complex64 || tensor.type == DType::complex128;
  // A complex number is two floats.
  const DType type = tensor.type == DType::complex64    ? DType::float32
                     : tensor.type == DType::complex128 ? DType::float64
                                                        : tensor.type;
  const int64_t count = element_count(tensor.shape) * (is_complex ? 2 : 1);
  for (int64_t i = 0; i < count; ++i) {
    double value = 0;
    switch (filling.kind) {
      case Filling::Kind::normal:
        value = random.normal();
        break;
      case Filling::Kind::uniform:
        value = filling.low + (filling.high - filling.low) * random.uniform();
        break;
      case Filling::Kind::integer:
        value = static_cast<double>(
            filling.first + static_cast<int64_t>(random.below(filling.count)));
        break;
    }
    set_element_value(type, tensor.bytes, i, value);
  }
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// "x:0", the first axis of x.
std::string place(const Port& port, size_t axis) {
  return fmt::format("{}:{}", port.name, axis);
}

// Sizes of dimensions that the model leaves open.
class Dims {
 public:
  Dims(const SampleSpec& spec, const std::vector<Port>& ports)
      : batch_(spec.batch) {
    // What a message offers, and every other way to say it.
    std::vector<std::string> known, places;
    for (const Port& port : ports)
      for (size_t i = 0; i < port.dims.size(); ++i) {
        if (port.dims[i].value >= 0) continue;
        const std::string& name = port.dims[i].name;
        places.push_back(place(port, i));
        if (name.empty())
          known.push_back(places.back());
        else if (!contains(known, name))
          known.push_back(name);
      }
    for (const auto& [name, value] : spec.dims) {
      if (!contains(known, name) && !contains(places, name)) {
        const std::string hint = did_you_mean(name, known);
        throw Error(
            ErrorKind::usage,
            fmt::format("the model has no open dimension '{}'; {}{}its "
                        "open dimensions are {}.",
                        name, hint, hint.empty() ? "" : " ", name_list(known)));
      }
      if (value < 0)
        throw Error(
            ErrorKind::usage,
            fmt::format("the dimension '{}' cannot be {}.", name, value));
      given_[name] = value;
    }
  }

  Shape shape_of(const Port& port) {
    Shape out;
    for (size_t i = 0; i < port.dims.size(); ++i) {
      const Dim& dim = port.dims[i];
      out.push_back(dim.value >= 0 ? dim.value : open_size(port, i));
    }
    return out;
  }

  // "batch=1, seq=16"; "" where every dimension is static.
  std::string text() const {
    std::string out;
    for (const auto& [name, value] : chosen_)
      out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, value);
    return out;
  }

 private:
  int64_t open_size(const Port& port, size_t axis) {
    const std::string where = place(port, axis);
    const std::string& name =
        port.dims[axis].name.empty() ? where : port.dims[axis].name;
    for (const std::string& key : {where, name})
      if (const auto it = given_.find(key); it != given_.end())
        return chosen_[key] = it->second;
    if (const auto it = chosen_.find(name); it != chosen_.end())
      return it->second;
    bool length = false;
    for (const char* word : {"seq", "len", "time", "frame"})
      length = length || name_has(port.dims[axis].name, word);
    return chosen_[name] = axis == 0 && !length ? batch_ : kDefaultDim;
  }

  int64_t batch_;
  std::map<std::string, int64_t> given_;
  std::map<std::string, int64_t> chosen_;
};

class RandomSamples : public SampleSource {
 public:
  RandomSamples(const SampleSpec& spec, const std::vector<Port>& ports)
      : batches_(spec.random), seed_(spec.seed) {
    if (spec.random < 1)
      throw Error(ErrorKind::usage,
                  fmt::format("{} random batches make no sense; give 1 or "
                              "more.",
                              spec.random));
    Dims dims(spec, ports);
    for (const auto& [name, range] : spec.ranges)
      port_named(name, ports, "a range");
    std::vector<Shape> shapes;
    for (const Port& port : ports) {
      if (port.kind != ValueKind::tensor)
        throw Error(ErrorKind::unsupported,
                    fmt::format("no values are generated for the input '{}', "
                                "which is {}.",
                                port.name, port_text(port)));
      Column column{port.name, port.type, dims.shape_of(port),
                    std::optional<Filling>()};
      for (const auto& [name, range] : spec.ranges)
        if (name == port.name) column.filling = ranged_filling(port, range);
      if (!column.filling) column.filling = default_filling(port);
      byte_size(column.type, column.shape);  // throws where it overflows
      shapes.push_back(column.shape);
      columns_.push_back(std::move(column));
    }
    count_ = samples_in(shapes);
    if (count_ > 0 && batches_ > std::numeric_limits<int64_t>::max() / count_)
      throw Error(ErrorKind::limit, "there are too many random samples.");
    const std::string chosen = dims.text();
    description_ = fmt::format("{} random {} (seed {}{}{})", batches_,
                               batches_ == 1 ? "batch" : "batches", seed_,
                               chosen.empty() ? "" : "; ", chosen);
  }

  int64_t batches() const override { return batches_; }
  int64_t samples() const override { return batches_ * count_; }
  bool synthetic() const override { return true; }
  std::string description() const override { return description_; }

  Batch batch(int64_t index) const override {
    Batch out;
    out.first = index * count_;
    out.count = count_;
    out.name = fmt::format("random batch {}", index);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      Tensor tensor = make_tensor(column.type, column.shape);
      Random random(seed_, static_cast<uint64_t>(index) * columns_.size() + i);
      fill(tensor, *column.filling, random);
      out.feed.inputs.emplace_back(column.name, std::move(tensor));
    }
    return out;
  }

 private:
  struct Column {
    std::string name;
    DType type;
    Shape shape;
    std::optional<Filling> filling;
  };

  int64_t batches_;
  int64_t count_ = 1;
  uint64_t seed_;
  std::vector<Column> columns_;
  std::string description_;
};

}  // namespace

std::unique_ptr<SampleSource> open_random(const SampleSpec& spec,
                                          const std::vector<Port>& inputs) {
  return std::make_unique<RandomSamples>(spec, inputs);
}

}  // namespace octavo
