#include "bench/models.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "bench/builder.h"
#include "model/external.h"
#include "octavo/error.h"

namespace octavo::benchmarks {
namespace fs = std::filesystem;
namespace {

using testing::set_float;
using testing::set_int;
using testing::set_ints;

Builder::Attributes with_axis(int64_t axis) {
  return [axis](onnx::NodeProto& n) { set_int(n, "axis", axis); };
}
Builder::Attributes with_perm(std::vector<int64_t> perm) {
  return [perm](onnx::NodeProto& n) { set_ints(n, "perm", perm); };
}
Builder::Attributes cast_to(DType type) {
  return [type](onnx::NodeProto& n) {
    set_int(n, "to", static_cast<int64_t>(type));
  };
}

// What both transformers are made of. Inputs: ids and mask, [batch, sequence].
class Transformer : public Builder {
 public:
  Transformer(int64_t width, int64_t heads, uint64_t seed)
      : Builder(seed), width_(width), heads_(heads) {
    model().input("input_ids", DType::int64, {-1, -1});
    model().input("attention_mask", DType::int64, {-1, -1});
  }

  // x [.., in] times a weight [in, out], and a bias.
  std::string linear(const std::string& x, int64_t in, int64_t out,
                     const std::string& path) {
    const std::string w = weight(
        fmt::format("onnx::MatMul_{}", 1000 + weights_++), {in, out}, 0.04f, 1);
    return node("Add",
                {weight(path.substr(1) + ".bias", {out}, 0.05f),
                 node("MatMul", {x, w}, path + "/MatMul")},
                path + "/Add");
  }

  // The same for x [rows, in]; a weight of [out, in] where `turned`.
  std::string gemm(const std::string& x, int64_t in, int64_t out,
                   const std::string& path, bool turned) {
    const Shape shape = turned ? Shape{out, in} : Shape{in, out};
    return node(
        "Gemm",
        {x, weight(path.substr(1) + ".weight", shape, 0.02f, turned ? 0 : 1),
         weight(path.substr(1) + ".bias", {out}, 0.05f)},
        path + "/Gemm", [turned](onnx::NodeProto& n) {
          if (turned) set_int(n, "transB", 1);
        });
  }

  std::string norm(const std::string& x, const std::string& path) {
    const std::string p = path.substr(1);
    return node("LayerNormalization",
                {x, weight(p + ".weight", {width_}, 0.1f, -1, 1.0f),
                 weight(p + ".bias", {width_}, 0.05f)},
                path + "/LayerNormalization", [](onnx::NodeProto& n) {
                  set_int(n, "axis", -1);
                  set_float(n, "epsilon", 1e-5f);
                });
  }

  std::string gelu(const std::string& x, const std::string& p) {
    const std::string erf =
        node("Erf",
             {node("Div", {x, number(std::sqrt(2.0f), "/sqrt2")}, p + "/Div")},
             p + "/Erf");
    const std::string one = node("Add", {erf, number(1, "/one")}, p + "/Add");
    return node("Mul",
                {node("Mul", {x, one}, p + "/Mul"), number(0.5f, "/half")},
                p + "/Mul");
  }

  // Dimension `axis` of x as a vector of one.
  std::string dim(const std::string& x, int64_t axis, const std::string& p) {
    const std::string d = node("Gather",
                               {node("Shape", {x}, p + "/Shape"),
                                integer(axis, fmt::format("/index{}", axis))},
                               p + "/Gather", with_axis(0));
    return node("Unsqueeze", {d, integers({0}, "/axes0")}, p + "/Unsqueeze");
  }

  // x with its last axis cut into `sizes`.
  std::string reshape(const std::string& x, const std::string& like,
                      const std::vector<int64_t>& sizes, const std::string& p) {
    std::vector<std::string> shape = {dim(like, 0, p), dim(like, 1, p)};
    for (const int64_t n : sizes)
      shape.push_back(integers({n}, fmt::format("/size{}", n)));
    return node("Reshape",
                {x, node("Concat", shape, p + "/Concat", with_axis(0))},
                p + "/Reshape");
  }

  std::string attention(const std::string& q, const std::string& k,
                        const std::string& v, const std::string& mask,
                        const std::string& p) {
    const int64_t size = width_ / heads_;
    const auto split = [&](const std::string& x, std::vector<int64_t> perm) {
      return node("Transpose", {reshape(x, x, {heads_, size}, p)},
                  p + "/Transpose", with_perm(std::move(perm)));
    };
    const std::string scores =
        node("Div",
             {node("MatMul", {split(q, {0, 2, 1, 3}), split(k, {0, 2, 3, 1})},
                   p + "/MatMul"),
              number(std::sqrt(static_cast<float>(size)), "/sqrt_size")},
             p + "/Div");
    const std::string share =
        node("Softmax", {node("Add", {scores, mask}, p + "/Add")},
             p + "/Softmax", with_axis(-1));
    const std::string context =
        node("Transpose",
             {node("MatMul", {share, split(v, {0, 2, 1, 3})}, p + "/MatMul")},
             p + "/Transpose", with_perm({0, 2, 1, 3}));
    return reshape(context, context, {width_}, p);
  }

  // 0 where the mask is 1, else very negative: [batch, 1, 1, sequence].
  std::string mask() {
    const std::string m =
        node("Unsqueeze", {"attention_mask", integers({1, 2}, "/axes12")},
             "/mask/Unsqueeze");
    const std::string off =
        node("Sub",
             {number(1, "/one"),
              node("Cast", {m}, "/mask/Cast", cast_to(DType::float32))},
             "/mask/Sub");
    return node("Mul", {off, number(-1e9f, "/very_negative")}, "/mask/Mul");
  }

  // 0 to sequence - 1 as [1, sequence].
  std::string positions(int64_t longest) {
    std::vector<int64_t> all(static_cast<size_t>(longest));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    model().init<int64_t>("position_ids", DType::int64, {1, longest}, all);
    return node("Slice",
                {"position_ids", integers({0}, "/axes0"),
                 dim("input_ids", 1, "/positions"), integers({1}, "/axes1")},
                "/positions/Slice");
  }

  std::string embed(const std::string& name, int64_t rows,
                    const std::string& ids) {
    return node("Gather",
                {weight(name + ".weight", {rows, width_}, 0.04f, 1), ids},
                "/" + name + "/Gather");
  }

  std::string add(const std::string& a, const std::string& b,
                  const std::string& p) {
    return node("Add", {a, b}, p + "/Add");
  }

 private:
  int64_t width_, heads_;
  int weights_ = 0;
};

// An encoder of BERT's kind: MatMul and Add, a Gemm with transB for the pooler.
void encoder(const fs::path& path, int layers, int64_t width, int64_t inner,
             int64_t heads) {
  Transformer b(width, heads, 1);
  std::string x = b.add(b.embed("word_embeddings", 30522, "input_ids"),
                        b.embed("position_embeddings", 512, b.positions(512)),
                        "/embeddings");
  x = b.norm(x, "/embeddings/LayerNorm");
  const std::string mask = b.mask();
  for (int layer = 0; layer < layers; ++layer) {
    const std::string p = fmt::format("/encoder/layer.{}", layer);
    const std::string q = b.linear(x, width, width, p + "/attention/query");
    const std::string k = b.linear(x, width, width, p + "/attention/key");
    const std::string v = b.linear(x, width, width, p + "/attention/value");
    const std::string c = b.attention(q, k, v, mask, p + "/attention");
    const std::string y =
        b.linear(c, width, width, p + "/attention/output/dense");
    x = b.norm(b.add(y, x, p + "/attention/output"),
               p + "/attention/output/LayerNorm");
    const std::string f =
        b.linear(b.gelu(b.linear(x, width, inner, p + "/intermediate/dense"),
                        p + "/intermediate"),
                 inner, width, p + "/output/dense");
    x = b.norm(b.add(f, x, p + "/output"), p + "/output/LayerNorm");
  }
  b.model().node("Identity", {x}, {"last_hidden_state"}, "/last");
  const std::string first = b.node("Gather", {x, b.integer(0, "/index0")},
                                   "/pooler/Gather", with_axis(1));
  b.model().node("Tanh", {b.gemm(first, width, width, "/pooler/dense", true)},
                 {"pooler_output"}, "/pooler/Tanh");
  b.model().output("last_hidden_state", DType::float32, {-1, -1, width});
  b.model().output("pooler_output", DType::float32, {-1, width});
  b.write(path, ExternalData::never);
}

// A decoder of GPT-2's kind: each layer's Gemm between two Reshapes.
void decoder(const fs::path& path, int layers, int64_t width, int64_t heads,
             bool external) {
  constexpr int64_t kWords = 50257, kLongest = 1024;
  Transformer b(width, heads, 5);
  const std::string position = b.positions(kLongest);
  std::string x = b.add(b.embed("wte", kWords, "input_ids"),
                        b.embed("wpe", kLongest, position), "/embeddings");
  // A later word is hidden from an earlier one.
  const std::string at =
      b.node("Cast", {position}, "/causal/Cast", cast_to(DType::float32));
  const std::string later = b.node(
      "Greater",
      {b.node("Unsqueeze", {at, b.integers({1}, "/axes1")}, "/causal/Across"),
       b.node("Unsqueeze", {at, b.integers({2}, "/axes2")}, "/causal/Down")},
      "/causal/Greater");
  const std::string hidden =
      b.node("Mul",
             {b.node("Cast", {later}, "/causal/Cast", cast_to(DType::float32)),
              b.number(-1e9f, "/very_negative")},
             "/causal/Mul");
  const std::string mask = b.add(b.mask(), hidden, "/causal");
  const auto conv1d = [&](const std::string& in, int64_t n, int64_t m,
                          const std::string& p) {
    const std::string rows =
        b.node("Reshape", {in, b.integers({-1, n}, fmt::format("/rows{}", n))},
               p + "/Reshape");
    return b.reshape(b.gemm(rows, n, m, p, false), in, {m}, p);
  };
  for (int layer = 0; layer < layers; ++layer) {
    const std::string p = fmt::format("/h.{}", layer);
    const std::string qkv =
        conv1d(b.norm(x, p + "/ln_1"), width, 3 * width, p + "/attn/c_attn");
    const auto parts =
        b.nodes("Split", {qkv, b.integers({width, width, width}, "/thirds")},
                p + "/attn/Split", 3, with_axis(2));
    const std::string c =
        b.attention(parts[0], parts[1], parts[2], mask, p + "/attn");
    x = b.add(x, conv1d(c, width, width, p + "/attn/c_proj"), p + "/attn");
    const std::string f = b.gelu(
        conv1d(b.norm(x, p + "/ln_2"), width, 4 * width, p + "/mlp/c_fc"),
        p + "/mlp");
    x = b.add(x, conv1d(f, 4 * width, width, p + "/mlp/c_proj"), p + "/mlp");
  }
  b.model().node("MatMul",
                 {b.norm(x, "/ln_f"),
                  b.weight("onnx::MatMul_lm_head", {width, kWords}, 0.02f, 0)},
                 {"logits"}, "/lm_head/MatMul");
  b.model().output("logits", DType::float32, {-1, -1, kWords});
  b.write(path, external ? ExternalData::always : ExternalData::never);
}

// Many small products one after the other: time by nodes, not by bytes.
void chain(const fs::path& path, int nodes) {
  Builder b(7);
  b.model().input("x", DType::float32, {-1, 32});
  std::string x = "x";
  for (int i = 0; i < nodes; ++i)
    x = b.node("MatMul", {x, b.weight(fmt::format("w{}", i), {32, 32}, 0.2f)},
               fmt::format("/layer.{}/MatMul", i));
  b.model().node("Identity", {x}, {"y"}, "/y");
  b.model().output("y", DType::float32, {-1, 32});
  b.write(path, ExternalData::never);
}

// Products of 256 MiB each over a data file that is one hole: bytes to read,
// none on the disk. All weights are 0.
void sparse(const fs::path& path, int nodes) {
  constexpr int64_t kSide = 8192;
  constexpr uint64_t kBytes = kSide * kSide * sizeof(float);
  testing::TinyModel m;
  const std::string data = path.filename().string() + ".data";
  m.input("x", DType::float32, {-1, kSide});
  for (int i = 0; i < nodes; ++i) {
    auto* w = m.proto().add_initializer();
    w->set_name(fmt::format("w{}", i));
    w->set_data_type(static_cast<int>(DType::float32));
    w->add_dims(kSide);
    w->add_dims(kSide);
    set_external(*w, data, static_cast<uint64_t>(i) * kBytes, kBytes);
    m.node("MatMul", {i == 0 ? "x" : fmt::format("x{}", i), w->name()},
           {i + 1 == nodes ? "y" : fmt::format("x{}", i + 1)},
           fmt::format("/layer.{}/MatMul", i));
  }
  m.output("y", DType::float32, {-1, kSide});
  const fs::path file = path.parent_path() / data;
  const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0666);
  const bool good =
      fd >= 0 &&
      ::ftruncate(
          fd, static_cast<off_t>(static_cast<uint64_t>(nodes) * kBytes)) == 0;
  if (fd >= 0) ::close(fd);
  if (!good)
    throw Error(ErrorKind::io,
                fmt::format("{}: the file cannot be made.", file.string()));
  std::ofstream(path, std::ios::binary) << m.bytes();
}

}  // namespace

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> all = {
      {"bert", "BERT base: 12 layers, width 768"},
      {"gpt2m", "GPT-2 medium: 24 layers, width 1024"},
      {"gpt2l", "GPT-2 large: 36 layers, width 1280, external data"},
      {"chain1600", "1,600 products of 32 x 32"},
      {"chain12800", "12,800 products of 32 x 32"},
      {"sparse6", "24 products of 8192 x 8192 over a hole"},
      {"sparse12", "48 products of 8192 x 8192 over a hole"},
  };
  return all;
}

void build(const fs::path& folder, const std::string& name) {
  const fs::path path = folder / (name + ".onnx");
  if (fs::exists(path)) return;
  fs::create_directories(folder);
  if (name == "bert") return encoder(path, 12, 768, 3072, 12);
  if (name == "gpt2m") return decoder(path, 24, 1024, 16, false);
  if (name == "gpt2l") return decoder(path, 36, 1280, 20, true);
  if (name == "chain1600") return chain(path, 1600);
  if (name == "chain12800") return chain(path, 12800);
  if (name == "sparse6") return sparse(path, 24);
  if (name == "sparse12") return sparse(path, 48);
  throw Error(ErrorKind::usage,
              fmt::format("there is no model '{}' to build.", name));
}

}  // namespace octavo::benchmarks
