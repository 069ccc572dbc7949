// write_model: sizes first, then every piece at its offset from a few threads,
// then the rename. The pieces of lazy blobs are made as they are written, so
// memory holds a chunk a thread.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "model/data.h"
#include "model/external.h"
#include "model/mapped_file.h"
#include "model/output_file.h"
#include "octavo/error.h"
#include "proto/payloads.h"

namespace octavo {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kChunk = 512 * 1024;
constexpr uint64_t kExternalAlignment = 4096;

// Bytes that go to one offset: of a blob, or literal.
struct Piece {
  const Blob* blob = nullptr;  // null: literal
  Bytes literal;
  uint64_t begin = 0, size = 0;  // within the blob
  uint64_t offset = 0;           // within the file
  size_t owner = 0;              // counts the blob's pieces still to do
};

// One file's bytes as pieces.
class Pieces {
 public:
  void add_literal(Bytes bytes, uint64_t offset) {
    if (!bytes.empty())
      pieces.push_back({nullptr, bytes, 0, bytes.size(), offset, 0});
  }
  void add_blob(const Blob& blob, uint64_t offset) {
    const uint64_t grain = blob.lazy ? blob.lazy->grain() : 1;
    const uint64_t step = std::max(grain, kChunk / grain * grain);
    const size_t owner = open.size();
    open.push_back(0);
    auto& to = blob.lazy && blob.lazy->late() ? late : pieces;
    for (uint64_t at = 0; at < blob.size; at += step, ++open[owner])
      to.push_back(
          {&blob, {}, at, std::min(step, blob.size - at), offset + at, owner});
  }

  std::vector<Piece> pieces;
  std::vector<Piece> late;     // after all others
  std::vector<uint32_t> open;  // pieces of each added blob
};

// Writes all pieces through write(offset, bytes, file), which must be
// thread-safe. `file`, where not null, is the one that the bytes are mapped of.
template <typename Write>
void write_pieces(const Pieces& work, const WriteOptions& options,
                  uint64_t& done, uint64_t total, const Write& write) {
  std::vector<std::atomic<uint32_t>> open(work.open.size());
  for (size_t i = 0; i < open.size(); ++i) open[i] = work.open[i];
  std::atomic<uint64_t> bytes_done{done};
  std::mutex telling;
  // What is made meanwhile has a thread of its own among those asked for.
  const int elsewhere = work.late.empty() ? 0 : 1;
  const int threads = std::max(1, thread_count(options.threads) - elsewhere);
  parallel_pieces(work.pieces.size(), threads, [&](size_t i) {
    const Piece& p = work.pieces[i];
    if (!p.blob) {
      write(p.offset, p.literal, nullptr);
    } else if (p.blob->lazy) {
      static thread_local std::vector<std::byte> buffer;
      buffer.resize(p.size);
      p.blob->lazy->fill(p.begin, buffer);
      write(p.offset, buffer, nullptr);
      if (--open[p.owner] == 0) p.blob->lazy->release();
    } else {
      const Bytes bytes = p.blob->view.subspan(p.begin, p.size);
      write(p.offset, bytes, p.blob->file);
      if (p.blob->file) drop_pages(bytes);
    }
    const uint64_t now = bytes_done += p.size;
    if (options.progress && telling.try_lock()) {
      const std::lock_guard lock(telling, std::adopt_lock);
      options.progress(now, total);
    }
  });
  done = bytes_done;
}

// Writes what was made meanwhile.
template <typename Write>
void write_late(const Pieces& work, const Write& write) {
  for (const Piece& p : work.late) {
    std::vector<std::byte> bytes(p.size);
    p.blob->lazy->fill(p.begin, bytes);
    write(p.offset, bytes, nullptr);
  }
}

// For write_pieces: into a file.
auto writer(OutputFile& to) {
  return [&to](uint64_t offset, Bytes bytes, const MappedFile* from) {
    from ? to.copy(offset, *from, bytes) : to.write(offset, bytes);
  };
}

// A serialized skeleton with its blobs placed: the model file.
struct Layout {
  Layout(const onnx::ModelProto& proto, const BlobTable& blobs) {
    if (!proto.SerializeToString(&skeleton))
      throw Error(ErrorKind::limit,
                  "the model's structure alone, without its weights, is "
                  "larger than protobuf's 2 GiB.");
    pasted =
        paste_payloads(std::as_bytes(std::span(skeleton)),
                       [&](uint64_t handle) { return blobs.at(handle).size; });
    const Bytes literal = std::as_bytes(std::span(pasted.literal));
    uint64_t from = 0, shift = 0;  // shift: blob bytes before `from`
    for (const auto& gap : pasted.gaps) {
      pieces.add_literal(literal.subspan(from, gap.literal_end - from),
                         from + shift);
      offsets.push_back({gap.handle, gap.literal_end + shift});
      pieces.add_blob(blobs[gap.handle], gap.literal_end + shift);
      from = gap.literal_end;
      shift += gap.size;
    }
    pieces.add_literal(literal.subspan(from), from + shift);
  }

  std::string skeleton;
  PastedModel pasted;
  Pieces pieces;
  std::vector<std::pair<uint64_t, uint64_t>> offsets;  // blob, file offset
};

// Initializers moved to a data file: their offsets there, and the skeleton
// that names them.
struct External {
  uint64_t size = 0;
  Pieces pieces;
  std::vector<std::pair<uint64_t, uint64_t>> offsets;
};

External move_out(onnx::ModelProto& proto, const BlobTable& blobs,
                  const std::string& location) {
  External out;
  std::vector<uint64_t> placed(blobs.size(), UINT64_MAX);
  for_each_graph(*proto.mutable_graph(), [&](onnx::GraphProto& graph) {
    for (auto& t : *graph.mutable_initializer()) {
      if (!t.has_blob()) continue;
      const Blob& blob = blobs.at(t.blob());
      if (!may_be_external(t, blob.size)) continue;
      uint64_t& offset = placed[t.blob()];
      if (offset == UINT64_MAX) {  // a shared blob is stored once
        offset = (out.size + kExternalAlignment - 1) / kExternalAlignment *
                 kExternalAlignment;
        out.pieces.add_blob(blob, offset);
        out.offsets.push_back({t.blob(), offset});
        out.size = offset + blob.size;
      }
      set_external(t, location, offset, blob.size);
    }
  });
  return out;
}

[[noreturn]] void too_large(const fs::path& path, uint64_t size, uint64_t limit,
                            const char* advice) {
  throw Error(ErrorKind::limit,
              fmt::format("{}: the model would have {} bytes, and one "
                          "protobuf file holds at most {}; {}.",
                          path.string(), size, limit, advice));
}

}  // namespace

WriteStats write_model(const Model& model, const fs::path& path,
                       const WriteOptions& options) {
  const ModelData& data = model.data();
  std::optional<onnx::ModelProto> outside;
  External external;
  auto layout = std::make_unique<Layout>(data.proto, data.blobs);
  const bool fits = layout->pasted.size <= options.inline_limit;
  if (!fits && options.external == ExternalData::never)
    too_large(path, layout->pasted.size, options.inline_limit,
              "allow external data");
  if (!fits || options.external == ExternalData::always) {
    outside = data.proto;
    external =
        move_out(*outside, data.blobs, path.filename().string() + ".data");
    if (external.size > 0)
      layout = std::make_unique<Layout>(*outside, data.blobs);
    if (layout->pasted.size > options.inline_limit)
      too_large(path, layout->pasted.size, options.inline_limit,
                "its Constant nodes are too large: turn them into "
                "initializers");
  }

  const uint64_t total = layout->pasted.size + external.size;
  uint64_t done = 0;
  std::optional<OutputFile> data_file;
  fs::path data_path = path;
  data_path += ".data";
  Written written;
  written.model = &model;
  written.target = path;
  written.blobs.resize(data.blobs.size());
  OutputFile file(path, layout->pasted.size);
  written.file = file.temporary();
  if (external.size > 0) {
    data_file.emplace(data_path, external.size);
    written.data_file = data_file->temporary();
    for (const auto& [blob, offset] : external.offsets)
      written.blobs[blob] = {true, offset};
    write_pieces(external.pieces, options, done, total, writer(*data_file));
  }
  for (const auto& [blob, offset] : layout->offsets)
    written.blobs[blob] = {false, offset};
  write_pieces(layout->pieces, options, done, total, writer(file));
  // The disk works while the check does.
  if (options.sync) file.start_sync();
  if (options.sync && data_file) data_file->start_sync();
  if (options.check) options.check(written);
  write_late(layout->pieces, writer(file));
  // The last word before anything gets its name: who throws here ends it.
  if (options.progress) options.progress(total, total);
  if (data_file) data_file->commit(options.sync);
  file.commit(options.sync);
  return {layout->pasted.size, external.size};
}

std::vector<std::byte> write_model(const Model& model, int threads) {
  const ModelData& data = model.data();
  const Layout layout(data.proto, data.blobs);
  WriteOptions options;
  options.threads = threads;
  if (layout.pasted.size > options.inline_limit)
    too_large("(memory)", layout.pasted.size, options.inline_limit,
              "write it to a file, with external data");
  std::vector<std::byte> out(layout.pasted.size);
  uint64_t done = 0;
  const auto copy = [&](uint64_t offset, Bytes bytes, const MappedFile*) {
    std::memcpy(out.data() + offset, bytes.data(), bytes.size());
  };
  write_pieces(layout.pieces, options, done, layout.pasted.size, copy);
  write_late(layout.pieces, copy);
  return out;
}

}  // namespace octavo
