// Batches that are each given whole: the files of --input, or one batch per
// file or per test_data_set_* folder of a folder.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/names.h"
#include "octavo/error.h"
#include "runtime/array_file.h"
#include "runtime/feed_check.h"
#include "runtime/sample_sources.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Inputs = std::vector<SampleSpec::Input>;

// Arrays in the order of the model's inputs.
using Row = std::vector<ArrayFile>;

const Port& port_of(const SampleSpec::Input& input, const ArrayFile& array,
                    const std::vector<Port>& ports) {
  if (!input.name.empty()) return port_named(input.name, ports, array.where());
  for (const Port& port : ports)
    if (port.name == array.key()) return port;
  if (ports.size() == 1) return ports[0];
  throw Error(ErrorKind::usage,
              fmt::format("{} does not say which input it is for; the model "
                          "has {}: {}. Give it as --input NAME={}.",
                          array.where(), counted(std::ssize(ports), "input"),
                          port_list(ports), input.path.string()));
}

// The arrays that one entry gives: all of an .npz that are inputs, or one.
void add_arrays(const SampleSpec::Input& input, const std::vector<Port>& ports,
                std::vector<std::pair<size_t, ArrayFile>>& found,
                std::vector<std::string>& keys) {
  const bool archive = array_format(input.path) == ArrayFormat::npz;
  std::vector<ArrayFile> arrays = open_arrays(input.path);
  for (const ArrayFile& array : arrays)
    keys.push_back(array.key().empty() ? input.path.filename().string()
                                       : array.key());
  if (archive && !input.name.empty() && arrays.size() > 1) {
    // NAME=FILE.npz means the array of that name.
    std::erase_if(arrays, [&](const ArrayFile& array) {
      return array.key() != input.name;
    });
  } else if (archive && input.name.empty()) {
    const std::vector<std::string> names = port_names(ports);
    std::erase_if(arrays, [&](const ArrayFile& array) {
      return std::find(names.begin(), names.end(), array.key()) == names.end();
    });
  }
  for (ArrayFile& array : arrays) {
    const Port& port = port_of(input, array, ports);
    found.emplace_back(static_cast<size_t>(&port - ports.data()),
                       std::move(array));
  }
}

// Opens and checks what one batch is made of. Reads no data but .pb files.
Row open_row(const Inputs& inputs, const std::vector<Port>& ports,
             const std::string& where) {
  std::vector<std::pair<size_t, ArrayFile>> found;
  std::vector<std::string> keys;
  for (const SampleSpec::Input& input : inputs) {
    if (!input.name.empty())
      port_named(input.name, ports, fmt::format("'{}'", input.path.string()));
    add_arrays(input, ports, found, keys);
  }
  std::vector<ArrayFile*> by_port(ports.size(), nullptr);
  for (auto& [index, array] : found) {
    if (by_port[index] != nullptr)
      throw Error(ErrorKind::usage,
                  fmt::format("the input '{}' is given twice: by {} and by {}.",
                              ports[index].name, by_port[index]->where(),
                              array.where()));
    by_port[index] = &array;
  }
  Row row;
  BoundDims bound;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (by_port[i] == nullptr) missing_input(ports[i], where, keys);
    check_fits(ports[i], by_port[i]->type(), by_port[i]->shape(), bound,
               by_port[i]->where());
    row.push_back(std::move(*by_port[i]));
  }
  return row;
}

class GivenSamples : public SampleSource {
 public:
  struct Entry {
    Inputs inputs;
    std::string name;
    int64_t first = 0;
    int64_t count = 0;
  };

  GivenSamples(std::vector<Entry> entries, std::vector<Port> ports,
               std::string description)
      : entries_(std::move(entries)),
        ports_(std::move(ports)),
        description_(std::move(description)) {
    for (Entry& entry : entries_) {
      std::vector<Shape> shapes;
      for (const ArrayFile& array : open_row(entry.inputs, ports_, entry.name))
        shapes.push_back(array.shape());
      entry.first = samples_;
      entry.count = samples_in(shapes);
      samples_ += entry.count;
    }
  }

  int64_t batches() const override { return std::ssize(entries_); }
  int64_t samples() const override { return samples_; }
  std::string description() const override { return description_; }

  Batch batch(int64_t index) const override {
    const Entry& entry = entries_[static_cast<size_t>(index)];
    Batch out;
    out.first = entry.first;
    out.count = entry.count;
    out.name = entry.name;
    const Row row = open_row(entry.inputs, ports_, entry.name);
    for (size_t i = 0; i < row.size(); ++i)
      out.feed.inputs.emplace_back(ports_[i].name, row[i].all());
    return out;
  }

 private:
  std::vector<Entry> entries_;
  std::vector<Port> ports_;
  std::string description_;
  int64_t samples_ = 0;
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> out;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed))
    out.push_back(it->path());
  if (failed)
    throw Error(ErrorKind::io, fmt::format("the folder '{}' cannot be read: "
                                           "{}.",
                                           folder.string(), failed.message()));
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  return out;
}

bool is_input_pb(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.rfind("input_", 0) == 0 && name.ends_with(".pb");
}

// input_*.pb of one folder, by the names inside where they are all inputs of
// the model, else in order.
Inputs data_set(const fs::path& folder, const std::vector<Port>& ports) {
  Inputs out;
  std::set<std::string> distinct;
  bool by_name = true;
  for (const fs::path& file : sorted_entries(folder)) {
    if (!is_input_pb(file)) continue;
    const std::string inside = open_arrays(file)[0].key();
    by_name = by_name && distinct.insert(inside).second &&
              std::any_of(ports.begin(), ports.end(),
                          [&](const Port& p) { return p.name == inside; });
    out.push_back({inside, file});
  }
  if (by_name) return out;
  if (out.size() > ports.size())
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}' holds {} for a model of {}: {}.", folder.string(),
                    counted(std::ssize(out), "input file"),
                    counted(std::ssize(ports), "input"), port_list(ports)));
  for (size_t i = 0; i < out.size(); ++i) out[i].name = ports[i].name;
  return out;
}

bool is_array_file(const fs::path& path) {
  const std::string e = path.extension().string();
  std::error_code ignored;
  return (e == ".npy" || e == ".npz" || e == ".pb") &&
         fs::is_regular_file(path, ignored);
}

}  // namespace

std::unique_ptr<SampleSource> open_given(const SampleSpec& spec,
                                         const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const SampleSpec::Input& input : spec.inputs)
    names.push_back(input.path.string());
  const std::string text = name_list(names, 3);
  return std::make_unique<GivenSamples>(
      std::vector<GivenSamples::Entry>{{spec.inputs, text}}, ports, text);
}

std::unique_ptr<SampleSource> open_folder(const SampleSpec& spec,
                                          const std::vector<Port>& ports) {
  const fs::path& folder = spec.samples;
  const std::vector<fs::path> all = sorted_entries(folder);
  std::vector<GivenSamples::Entry> entries;
  const auto quoted = [](const fs::path& p) {
    return fmt::format("'{}'", p.string());
  };
  std::error_code ignored;
  for (const fs::path& path : all)
    if (path.filename().string().rfind("test_data_set_", 0) == 0 &&
        fs::is_directory(path, ignored))
      entries.push_back({data_set(path, ports), quoted(path)});
  if (entries.empty() && std::any_of(all.begin(), all.end(), is_input_pb))
    entries.push_back({data_set(folder, ports), quoted(folder)});
  if (entries.empty())
    for (const fs::path& path : all)
      if (is_array_file(path)) entries.push_back({{{"", path}}, quoted(path)});
  if (entries.empty())
    throw Error(ErrorKind::usage,
                fmt::format("the folder '{}' holds no samples: no "
                            "test_data_set_* folders with input_0.pb, and no "
                            ".npz, .npy or .pb files.",
                            folder.string()));
  const std::string text = fmt::format(
      "{} of '{}'",
      entries.size() == 1 ? "1 batch"
                          : fmt::format("{} batches", entries.size()),
      folder.string());
  return std::make_unique<GivenSamples>(std::move(entries), ports, text);
}

}  // namespace octavo
