#include "bench/builder.h"

#include <cstring>

#include "base/random.h"

namespace octavo::benchmarks {
namespace {

// Elements that share one generator, so that any part can be made alone.
constexpr uint64_t kRun = 4096;

class Gaussian : public LazyBytes {
 public:
  Gaussian(uint64_t seed, const Shape& shape, float deviation, int outliers,
           float mean)
      : seed_(seed), deviation_(deviation), mean_(mean) {
    if (outliers < 0) return;
    const auto channels =
        static_cast<uint64_t>(shape[static_cast<size_t>(outliers)]);
    for (size_t i = static_cast<size_t>(outliers) + 1; i < shape.size(); ++i)
      inner_ *= static_cast<uint64_t>(shape[i]);
    factor_.assign(channels, 1.0f);
    Random random(seed, UINT64_MAX);
    for (uint64_t i = 0; i < std::max<uint64_t>(1, channels / 100); ++i)
      factor_[random.below(channels)] = 6.0f;
  }

  void fill(uint64_t begin, std::span<std::byte> out) const override {
    for (uint64_t at = begin / sizeof(float); !out.empty();) {
      Random random(seed_, at / kRun);
      for (uint64_t i = 0; i < kRun && !out.empty(); ++i, ++at) {
        float v = deviation_ * static_cast<float>(random.normal());
        if (!factor_.empty()) v *= factor_[at / inner_ % factor_.size()];
        v += mean_;
        std::memcpy(out.data(), &v, sizeof v);
        out = out.subspan(sizeof v);
      }
    }
  }
  uint64_t grain() const override { return kRun * sizeof(float); }

 private:
  uint64_t seed_;
  float deviation_, mean_;
  uint64_t inner_ = 1;         // elements between channels
  std::vector<float> factor_;  // by channel; empty: 1
};

}  // namespace

std::string Builder::unique(const std::string& path) {
  const int n = used_[path]++;
  return n == 0 ? path : path + "_" + std::to_string(n);
}

std::vector<std::string> Builder::nodes(const std::string& op,
                                        const std::vector<std::string>& inputs,
                                        const std::string& path, int outputs,
                                        const Attributes& attributes) {
  const std::string name = unique(path);
  std::vector<std::string> out;
  for (int i = 0; i < outputs; ++i)
    out.push_back(name + "_output_" + std::to_string(i));
  auto& node = model_.node(op, inputs, out, name);
  if (attributes) attributes(node);
  return out;
}

std::string Builder::node(const std::string& op,
                          const std::vector<std::string>& inputs,
                          const std::string& path,
                          const Attributes& attributes) {
  return nodes(op, inputs, path, 1, attributes).front();
}

std::string Builder::weight(const std::string& name, const Shape& shape,
                            float deviation, int outliers, float mean) {
  auto lazy = std::make_shared<Gaussian>(seed_ * 1000003 + data_->blobs.size(),
                                         shape, deviation, outliers, mean);
  auto* t = model_.proto().add_initializer();
  t->set_name(name);
  t->set_data_type(static_cast<int>(DType::float32));
  for (const int64_t d : shape) t->add_dims(d);
  const auto size = static_cast<uint64_t>(byte_size(DType::float32, shape));
  t->set_blob(data_->add_blob(lazy_blob(size, std::move(lazy))));
  return name;
}

std::string Builder::integers(const std::vector<int64_t>& values,
                              const std::string& path) {
  const std::string name = path + "_output_0";
  if (used_[path]++ == 0)
    model_.constant<int64_t>(name, DType::int64,
                             {static_cast<int64_t>(values.size())}, values);
  return name;
}

std::string Builder::integer(int64_t value, const std::string& path) {
  const std::string name = path + "_output_0";
  if (used_[path]++ == 0)
    model_.constant<int64_t>(name, DType::int64, {}, {value});
  return name;
}

std::string Builder::number(float value, const std::string& path) {
  const std::string name = path + "_output_0";
  if (used_[path]++ == 0)
    model_.constant<float>(name, DType::float32, {}, {value});
  return name;
}

void Builder::write(const std::filesystem::path& path, ExternalData external) {
  data_->proto.Swap(&model_.model());
  WriteOptions options;
  options.external = external;
  options.sync = false;
  write_model(Model(std::move(data_)), path, options);
}

}  // namespace octavo::benchmarks
