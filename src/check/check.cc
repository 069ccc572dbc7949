#include "octavo/check.h"

#include <fmt/format.h>

#include "model/data.h"
#include "model/external.h"
#include "model/mapped_file.h"
#include "model/output_file.h"
#include "octavo/error.h"
#include "proto/payloads.h"

namespace octavo {
namespace {

// The file parses, and has the nodes and initializers that were meant.
void read_back(const Written& written, const onnx::ModelProto& meant) {
  const auto file = MappedFile::open(written.file);
  onnx::ModelProto got;
  const CutModel cut = cut_payloads(file->bytes());
  if (!got.ParseFromString(cut.skeleton) ||
      got.graph().node_size() != meant.graph().node_size() ||
      got.graph().initializer_size() != meant.graph().initializer_size())
    throw Error(ErrorKind::io,
                fmt::format("{}: what was read back is not what was written; "
                            "the disk or the memory of this machine is "
                            "damaged. Nothing was kept.",
                            written.file.string()));
}

// Initializers point into the written files.
void point_out(onnx::GraphProto& graph, const Written& written) {
  const std::string file = written.file.filename().string();
  const std::string data_file = written.data_file.filename().string();
  for (auto& t : *graph.mutable_initializer()) {
    if (!t.has_blob()) continue;
    const uint64_t size = written.model->data().blobs.at(t.blob()).size;
    if (!may_be_external(t, size)) continue;
    const Placement& at = written.blobs.at(t.blob());
    set_external(t, at.outside ? data_file : file, at.offset, size);
  }
}

// The model without its weights' bytes: they stay in the written files.
std::string hollow(const Written& written) {
  const ModelData& data = written.model->data();
  onnx::ModelProto model = data.proto;
  for_each_graph(*model.mutable_graph(),
                 [&](onnx::GraphProto& g) { point_out(g, written); });
  for_each_tensor(model, [&](onnx::TensorProto& t) {
    if (!t.has_blob()) return;
    std::vector<std::byte> storage;
    const Bytes bytes = payload(data, t, storage);
    t.set_raw_data(bytes.data(), bytes.size());
    t.clear_blob();
  });
  for (auto& entry : *model.mutable_metadata_props()) entry.clear_blob();
  return model.SerializeAsString();
}

}  // namespace

SessionOptions loading_only(SessionOptions options) {
  options.optimization = Optimization::disabled;
  options.prepack = false;
  return options;
}

void check_loads(const std::shared_ptr<Runtime>& runtime,
                 const Written& written, const SessionOptions& options) {
  read_back(written, written.model->data().proto);
  const std::string bytes = hollow(written);
  OutputFile file(written.target, bytes.size());  // never committed: removed
  file.write(0, std::as_bytes(std::span(bytes)));
  open_session(runtime, file.temporary(), loading_only(options));
}

}  // namespace octavo
