#include "proto/payloads.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "proto/onnx.pb.h"
#include "proto/wire.h"

namespace octavo {
namespace {

Bytes bytes_of(const std::string& s) {
  return std::as_bytes(std::span(s.data(), s.size()));
}

std::string text_of(Bytes b) {
  return {reinterpret_cast<const char*>(b.data()), b.size()};
}

// Puts the pasted pieces together, as the writer does in a file.
std::string assemble(const PastedModel& p, const std::vector<Bytes>& payloads) {
  std::string out;
  uint64_t done = 0;
  for (const auto& gap : p.gaps) {
    out += p.literal.substr(done, gap.literal_end - done);
    out += text_of(payloads[gap.handle]);
    done = gap.literal_end;
  }
  return out + p.literal.substr(done);
}

onnx::TensorProto* add_raw(onnx::TensorProto* t, size_t n, char fill) {
  t->set_data_type(2);
  t->add_dims(static_cast<int64_t>(n));
  t->set_raw_data(std::string(n, fill));
  return t;
}

// One payload in each place where a ModelProto can hold a tensor.
onnx::ModelProto everywhere(size_t n) {
  onnx::ModelProto m;
  m.set_ir_version(8);
  auto* g = m.mutable_graph();
  add_raw(g->add_initializer(), n, 'a');
  add_raw(g->add_sparse_initializer()->mutable_values(), n, 'b');
  auto* node = g->add_node();
  node->set_op_type("If");
  add_raw(node->add_attribute()->mutable_t(), n, 'c');
  add_raw(node->add_attribute()->add_tensors(), n, 'd');
  auto* body = node->add_attribute()->mutable_g();
  add_raw(body->add_initializer(), n, 'e');
  auto* inner = body->add_node()->add_attribute()->add_graphs();
  add_raw(inner->add_initializer(), n, 'f');
  add_raw(node->add_attribute()->mutable_sparse_tensor()->mutable_indices(), n,
          'g');
  add_raw(m.add_functions()->add_node()->add_attribute()->mutable_t(), n, 'h');
  add_raw(m.add_training_info()->mutable_initialization()->add_initializer(), n,
          'i');
  return m;
}

TEST(CutPayloads, FindsEveryPlaceAndPastesTheSameMessage) {
  const onnx::ModelProto m = everywhere(5000);
  const std::string file = m.SerializeAsString();
  const CutModel cut = cut_payloads(bytes_of(file));
  EXPECT_EQ(cut.payloads.size(), 9u);
  EXPECT_LT(cut.skeleton.size(), 500u);

  onnx::ModelProto skeleton;
  ASSERT_TRUE(skeleton.ParseFromString(cut.skeleton));
  EXPECT_TRUE(skeleton.graph().initializer(0).has_blob());
  const std::string again = skeleton.SerializeAsString();
  const PastedModel pasted = paste_payloads(
      bytes_of(again),
      [&](uint64_t handle) { return cut.payloads.at(handle).size(); });
  const std::string out = assemble(pasted, cut.payloads);
  EXPECT_EQ(out.size(), pasted.size);
  onnx::ModelProto back;
  ASSERT_TRUE(back.ParseFromString(out));
  EXPECT_EQ(back.SerializeAsString(), file);
}

TEST(CutPayloads, LeavesSmallPayloadsInTheSkeleton) {
  const std::string file = everywhere(100).SerializeAsString();
  const CutModel cut = cut_payloads(bytes_of(file));
  EXPECT_TRUE(cut.payloads.empty());
  onnx::ModelProto back;
  ASSERT_TRUE(back.ParseFromString(cut.skeleton));
  EXPECT_EQ(back.SerializeAsString(), file);
}

TEST(CutPayloads, CutsOnePackedRunOfFloatsButNotTwo) {
  onnx::ModelProto m;
  auto* t = m.mutable_graph()->add_initializer();
  for (int i = 0; i < 1000; ++i) t->add_float_data(static_cast<float>(i));
  std::string tensor = t->SerializeAsString();
  EXPECT_EQ(cut_payloads(bytes_of(m.SerializeAsString())).payloads.size(), 1u);

  // Two runs in one tensor are legal: protobuf joins them.
  tensor += tensor;
  std::string graph, file;
  wire::append_varint(graph, wire::make_tag(5, wire::Type::bytes));
  wire::append_varint(graph, tensor.size());
  graph += tensor;
  wire::append_varint(file, wire::make_tag(7, wire::Type::bytes));
  wire::append_varint(file, graph.size());
  file += graph;
  const CutModel cut = cut_payloads(bytes_of(file));
  EXPECT_TRUE(cut.payloads.empty());
  onnx::ModelProto back;
  ASSERT_TRUE(back.ParseFromString(cut.skeleton));
  EXPECT_EQ(back.graph().initializer(0).float_data_size(), 2000);
}

TEST(CutPayloads, KeepsFieldsThatTheSchemaDoesNotKnow) {
  std::string file = everywhere(3000).SerializeAsString();
  wire::append_varint(file, wire::make_tag(777, wire::Type::bytes));
  wire::append_varint(file, 3);
  file += "new";
  onnx::ModelProto skeleton;
  ASSERT_TRUE(skeleton.ParseFromString(cut_payloads(bytes_of(file)).skeleton));
  EXPECT_NE(skeleton.SerializeAsString().find("new"), std::string::npos);
}

TEST(CutPayloads, RefusesTheHandleFieldFromAFile) {
  for (const size_t n : {10u, 5000u}) {
    onnx::ModelProto m = everywhere(n);
    m.mutable_graph()->mutable_initializer(0)->set_blob(0);
    EXPECT_THROW(cut_payloads(bytes_of(m.SerializeAsString())), Error);
  }
}

TEST(CutPayloads, RefusesTheHandleFieldInMetadata) {
  onnx::ModelProto m = everywhere(10);
  m.add_metadata_props()->set_blob(0);
  EXPECT_THROW(cut_payloads(bytes_of(m.SerializeAsString())), Error);
}

TEST(PastePayloads, FillsAMetadataValue) {
  onnx::ModelProto m;
  m.add_metadata_props()->set_key("k");
  m.mutable_metadata_props(0)->set_blob(0);
  const std::string value(300, 'v');
  const std::string skeleton = m.SerializeAsString();
  const PastedModel pasted = paste_payloads(
      bytes_of(skeleton), [&](uint64_t) { return value.size(); });
  onnx::ModelProto back;
  ASSERT_TRUE(back.ParseFromString(assemble(pasted, {bytes_of(value)})));
  EXPECT_EQ(back.metadata_props(0).key(), "k");
  EXPECT_EQ(back.metadata_props(0).value(), value);
}

TEST(CutPayloads, RefusesEveryTruncation) {
  const std::string file = everywhere(1100).SerializeAsString();
  for (size_t n = 1; n < file.size(); n += 7) {
    const std::string cut = file.substr(0, n);
    onnx::ModelProto ignored;
    try {
      // A cut between two top-level fields is a legal, shorter message.
      const CutModel c = cut_payloads(bytes_of(cut));
      EXPECT_TRUE(ignored.ParseFromString(c.skeleton)) << n;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::format);
      EXPECT_FALSE(ignored.ParseFromString(cut)) << n;
    }
  }
}

TEST(CutPayloads, RefusesDeepNesting) {
  std::string message;
  for (int i = 0; i < 200; ++i) {
    // graph -> node -> attribute -> graph ...
    std::string wrapped;
    const uint32_t number = i % 3 == 0 ? 6 : i % 3 == 1 ? 5 : 1;
    wire::append_varint(wrapped, wire::make_tag(number, wire::Type::bytes));
    wire::append_varint(wrapped, message.size());
    message = wrapped + message;
  }
  std::string model;
  wire::append_varint(model, wire::make_tag(7, wire::Type::bytes));
  // The innermost wrap that ends on "graph" fits under the model.
  while (static_cast<uint8_t>(message[0]) >> 3 != 1) {
    message.erase(0, 1);
    while (static_cast<uint8_t>(message[0]) & 0x80) message.erase(0, 1);
    message.erase(0, 1);
  }
  wire::append_varint(model, message.size());
  model += message;
  EXPECT_THROW(cut_payloads(bytes_of(model)), Error);
}

}  // namespace
}  // namespace octavo
