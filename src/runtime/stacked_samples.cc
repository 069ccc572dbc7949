// Samples stacked along the leading axis of arrays in one .npz or .npy, read
// slice by slice.
#include <fmt/format.h>

#include <algorithm>

#include "octavo/error.h"
#include "runtime/array_file.h"
#include "runtime/feed_check.h"
#include "runtime/npz.h"
#include "runtime/sample_sources.h"

namespace octavo {
namespace {

struct Column {
  const Port port;
  ArrayFile array;
  bool constant = false;  // a scalar that every batch shares
};

// What must hold before the leading axis can count samples.
void check_rank(const Port& port, const ArrayFile& array) {
  const size_t rank = array.shape().size();
  if (!port.has_rank || rank == port.dims.size()) return;
  if (rank + 1 != port.dims.size()) return;  // check_fits says the rest
  throw Error(
      ErrorKind::usage,
      fmt::format("{} is {} {}, one dimension fewer than the input '{}' "
                  "declares ({}); its leading axis must count samples (for a "
                  "single sample, save x[None]).",
                  array.where(), dtype_name(array.type()),
                  shape_text(array.shape()), port.name, port_text(port)));
}

class StackedSamples : public SampleSource {
 public:
  StackedSamples(const SampleSpec& spec, std::vector<Column> columns)
      : file_(spec.samples.string()),
        batch_(spec.batch),
        columns_(std::move(columns)) {
    count_samples();
    check_static_leading();
    check_shapes(std::min(batch_, samples_));
    if (samples_ > batch_ && samples_ % batch_ != 0)
      check_shapes(samples_ % batch_);
    for (Column& column : columns_)
      if (!column.constant) column.array.hold();
  }

  int64_t batches() const override { return (samples_ + batch_ - 1) / batch_; }
  int64_t samples() const override { return samples_; }

  Batch batch(int64_t index) const override {
    Batch out;
    out.first = index * batch_;
    out.count = std::min(batch_, samples_ - out.first);
    out.name = out.count == 1 ? fmt::format("sample {}", out.first)
                              : fmt::format("samples {} to {}", out.first,
                                            out.first + out.count - 1);
    for (const Column& column : columns_)
      out.feed.inputs.emplace_back(
          column.port.name, column.constant
                                ? column.array.all()
                                : column.array.rows(out.first, out.count));
    return out;
  }

  std::string description() const override {
    return fmt::format(
        "{} of '{}'{}", counted(samples_, "sample"), file_,
        batch_ == 1 ? std::string() : fmt::format(" in batches of {}", batch_));
  }

 private:
  void count_samples() {
    const Column* first = nullptr;
    for (Column& column : columns_) {
      const Shape& shape = column.array.shape();
      column.constant = shape.empty() && !column.port.has_rank;
      if (column.constant) continue;
      check_rank(column.port, column.array);
      if (shape.empty())
        throw Error(ErrorKind::usage,
                    fmt::format("{} is a scalar, but its leading axis must "
                                "count samples.",
                                column.array.where()));
      if (first != nullptr && shape[0] != samples_)
        throw Error(
            ErrorKind::usage,
            fmt::format("{} has {}, and {} has {}; the leading axis of "
                        "every array must count the same samples.",
                        first->array.where(), counted(samples_, "sample"),
                        column.array.where(), counted(shape[0], "sample")));
      if (first == nullptr) samples_ = shape[0];
      first = first == nullptr ? &column : first;
    }
    if (first == nullptr) samples_ = 1;
    if (samples_ == 0)
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' holds no samples.", file_));
  }

  void check_static_leading() const {
    for (const Column& column : columns_) {
      const Port& port = column.port;
      if (column.constant || port.dims.empty() || port.dims[0].value < 0)
        continue;
      const int64_t size = port.dims[0].value;
      if (size != batch_)
        throw Error(
            ErrorKind::usage,
            fmt::format("the input '{}' declares a leading dimension of {} "
                        "({}), so the model cannot take batches of {}; use "
                        "--batch {}, or give each batch as a file of its own "
                        "in a folder.",
                        port.name, size, port_text(port), batch_, size));
      if (samples_ % size != 0)
        throw Error(
            ErrorKind::usage,
            fmt::format("the {} of '{}' make no whole batches of {}, which "
                        "the input '{}' declares ({}); leave {} out.",
                        counted(samples_, "sample"), file_, size, port.name,
                        port_text(port), samples_ % size));
    }
  }

  void check_shapes(int64_t count) const {
    BoundDims bound;
    for (const Column& column : columns_) {
      Shape shape = column.array.shape();
      if (!column.constant) shape[0] = count;
      check_fits(
          column.port, column.array.type(), shape, bound,
          fmt::format("a batch of {} of {}", count, column.array.where()));
    }
  }

  std::string file_;
  int64_t batch_;
  int64_t samples_ = 0;
  std::vector<Column> columns_;
};

}  // namespace

std::unique_ptr<SampleSource> open_stacked(const SampleSpec& spec,
                                           const std::vector<Port>& inputs) {
  const std::filesystem::path& path = spec.samples;
  std::vector<Column> columns;
  switch (array_format(path)) {
    case ArrayFormat::npz: {
      const NpzFile npz(path);
      for (const Port& port : inputs) {
        if (!npz.has(port.name))
          missing_input(port, fmt::format("'{}'", path.string()), npz.keys());
        columns.push_back({port, ArrayFile(port.name, npz.open(port.name))});
      }
      break;
    }
    case ArrayFormat::npy:
      if (inputs.size() != 1)
        throw Error(
            ErrorKind::usage,
            fmt::format("'{}' holds one array, and the model has {} "
                        "inputs: {}; put one array for each into an "
                        ".npz, by name.",
                        path.string(), inputs.size(), port_list(inputs)));
      columns.push_back({inputs[0], std::move(open_arrays(path)[0])});
      break;
    case ArrayFormat::pb:
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' is one tensor; give it with --input, or a "
                              "folder of such files with --samples.",
                              path.string()));
  }
  return std::make_unique<StackedSamples>(spec, std::move(columns));
}

}  // namespace octavo
