// Sessions on a real ONNX Runtime; all skip where none is found.
#include <gmock/gmock.h>

#include "base/element.h"
#include "octavo/error.h"
#include "octavo/runtime.h"
#include "octavo/samples.h"
#include "testing/temp_folder.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TinyModel;

class Session : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      runtime_ = load_runtime();
    } catch (const Error& error) {
      GTEST_SKIP() << "needs ONNX Runtime: " << error.what();
    }
  }

  std::unique_ptr<Runner> open(const TinyModel& model,
                               const SessionOptions& options = {}) {
    const std::string bytes = model.bytes();
    return open_session(runtime_, testing::as_bytes(bytes), options);
  }

  static Feed feed(const std::string& name, Value value) {
    Feed out;
    out.inputs.emplace_back(name, std::move(value));
    return out;
  }

  template <typename F>
  static std::string refusal(F&& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  std::shared_ptr<Runtime> runtime_;
};

// y = Identity(x), for any element type.
void add_identity(TinyModel& model, DType type, const Shape& shape) {
  model.input("x", type, shape);
  model.node("Identity", {"x"}, {"y"});
  model.output("y", type, shape);
}

TEST_F(Session, SaysWhatTheRuntimeIs) {
  const RuntimeInfo& info = runtime_info(*runtime_);
  EXPECT_GE(info.api_version, 16);
  EXPECT_LE(info.api_version, 18);
  EXPECT_THAT(info.version, ::testing::StartsWith("1."));
  EXPECT_TRUE(std::filesystem::exists(info.library));
  EXPECT_THAT(info.providers, ::testing::Contains("CPUExecutionProvider"));
}

TEST_F(Session, PreparesACallOnceAndRepeatsIt) {
  const testing::TempFolder folder;
  TinyModel model;
  add_identity(model, DType::float32, {2});
  const auto session = open(model, {.profile = folder.path() / "p"});
  const Feed good = feed("x", make_tensor<float>(DType::float32, {2}, {1, 2}));
  const PreparedCall call = session->prepare(good);
  call();
  call();
  const Feed bad = feed("z", make_tensor<float>(DType::float32, {2}, {1, 2}));
  EXPECT_THROW(session->prepare(bad), Error);
}

TEST_F(Session, RunsTheDigitsModelOnItsSamples) {
  const std::filesystem::path models = OCTAVO_SOURCE_DIR "/models";
  const auto session = open_session(runtime_, models / "digits_cnn.onnx");
  ASSERT_EQ(session->inputs().size(), 1u);
  EXPECT_EQ(port_text(session->inputs()[0]), "float32 [batch,1,8,8]");
  EXPECT_EQ(session->outputs()[0].name, "logits");
  SampleSpec spec;
  spec.samples = models / "digits_cnn.test.npz";
  spec.batch = 100;
  const auto samples = open_samples(spec, session->inputs());
  const Tensor labels = load_array(spec.samples.string() + ":y");
  int64_t right = 0;
  for (int64_t b = 0; b < samples->batches(); ++b) {
    const Batch batch = samples->batch(b);
    const auto logits = session->run(batch.feed)[0].tensor;
    for (int64_t i = 0; i < batch.count; ++i) {
      const auto row =
          logits.as<float>().subspan(static_cast<size_t>(i) * 10, 10);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      right +=
          best == labels.as<int64_t>()[static_cast<size_t>(batch.first + i)];
    }
  }
  // Trained to well over 95 % (models/README.md).
  EXPECT_GT(static_cast<double>(right) / samples->samples(), 0.95);
}

TEST_F(Session, CarriesEveryElementType) {
  for (DType type :
       {DType::float32, DType::uint8, DType::int8, DType::uint16, DType::int16,
        DType::int32, DType::int64, DType::boolean, DType::float16,
        DType::float64, DType::uint32, DType::uint64, DType::bfloat16}) {
    TinyModel model(13);
    add_identity(model, type, {-1, 3});
    const auto session = open(model);
    EXPECT_EQ(session->inputs()[0].type, type);
    Tensor x = make_tensor(type, {2, 3});
    for (size_t i = 0; i < x.bytes.size(); ++i)
      x.bytes[i] = std::byte{
          static_cast<unsigned char>(type == DType::boolean ? i & 1 : i + 1)};
    const auto out = session->run(feed("x", x));
    EXPECT_EQ(out[0].tensor.type, type) << dtype_name(type);
    EXPECT_EQ(out[0].tensor.shape, x.shape) << dtype_name(type);
    EXPECT_EQ(out[0].tensor.bytes, x.bytes) << dtype_name(type);
  }
}

// Values 0, 1 and 3 through Cast, in and out of each narrow type that the
// runtime can cast. (float4e2m1 has no runtime yet that does; float8e8m0 holds
// powers of two only.)
TEST_F(Session, CarriesNarrowTypes) {
  struct Case {
    DType type;
    int opset;
    int ir;
    std::vector<uint8_t> bytes;  // of 0, 1, 3
  };
  const Case kCases[] = {{DType::float8e4m3fn, 21, 10, {0x00, 0x38, 0x44}},
                         {DType::float8e5m2, 21, 10, {0x00, 0x3c, 0x42}},
                         {DType::float8e4m3fnuz, 21, 10, {0x00, 0x40, 0x4c}},
                         {DType::float8e5m2fnuz, 21, 10, {0x00, 0x40, 0x46}},
                         {DType::uint4, 21, 10, {0x10, 0x03}},
                         {DType::int4, 21, 10, {0x10, 0x03}}};
  for (const Case& c : kCases) {
    TinyModel model(c.opset, c.ir);
    model.input("narrow", c.type, {3});
    model.input("wide", DType::float32, {3});
    testing::set_int(model.node("Cast", {"narrow"}, {"widened"}), "to", 1);
    testing::set_int(model.node("Cast", {"wide"}, {"narrowed"}), "to",
                     static_cast<int>(c.type));
    model.output("widened", DType::float32, {3});
    model.output("narrowed", c.type, {3});
    std::unique_ptr<Runner> session;
    try {
      session = open(model);
    } catch (const Error& error) {
      // A runtime that does not know the type refuses in words; fine.
      EXPECT_THAT(error.what(), HasSubstr("could not load"));
      continue;
    }
    EXPECT_EQ(session->inputs()[0].type, c.type);
    Feed feed;
    const Tensor narrow = make_tensor<uint8_t>(c.type, {3}, c.bytes);
    feed.inputs.emplace_back("narrow", narrow);
    feed.inputs.emplace_back(
        "wide", make_tensor<float>(DType::float32, {3}, {0, 1, 3}));
    const auto out = session->run(feed);
    EXPECT_THAT(out[0].tensor.as<float>(), ElementsAre(0, 1, 3))
        << dtype_name(c.type);
    EXPECT_EQ(out[1].tensor.type, c.type) << dtype_name(c.type);
    EXPECT_EQ(out[1].tensor.bytes, narrow.bytes) << dtype_name(c.type);
  }
}

// Outputs only: as an input, 1.30 takes the number of uint2 for float8e8m0's.
TEST_F(Session, ReadsTwoBitOutputs) {
  TinyModel model(25, 13);
  model.input("x", DType::float32, {3});
  testing::set_int(model.node("Cast", {"x"}, {"y"}), "to",
                   static_cast<int>(DType::uint2));
  model.output("y", DType::uint2, {3});
  std::unique_ptr<Runner> session;
  try {
    session = open(model);
  } catch (const Error& error) {
    GTEST_SKIP() << "needs a runtime that knows uint2: " << error.what();
  }
  const auto out = session->run(
      feed("x", make_tensor<float>(DType::float32, {3}, {0, 1, 3})));
  EXPECT_EQ(out[0].tensor.type, DType::uint2);
  EXPECT_THAT(out[0].tensor.as<uint8_t>(), ElementsAre(0x34));
}

TEST_F(Session, CarriesTextsWithNulsAndEmptyOnes) {
  TinyModel model;
  add_identity(model, DType::string, {-1});
  Tensor x = make_tensor(DType::string, {4});
  x.strings = {"", "one", std::string("a\0b", 3), "\u00e9"};
  const auto out = open(model)->run(feed("x", x));
  EXPECT_EQ(out[0].tensor.strings, x.strings);
  EXPECT_TRUE(open(model)
                  ->run(feed("x", make_tensor(DType::string, {0})))[0]
                  .tensor.strings.empty());
}

TEST_F(Session, CarriesScalarsAndEmptyTensors) {
  TinyModel model;
  add_identity(model, DType::float32, {-1, 4});
  const auto out =
      open(model)->run(feed("x", make_tensor(DType::float32, {0, 4})));
  EXPECT_THAT(out[0].tensor.shape, ElementsAre(0, 4));
  TinyModel scalar;
  add_identity(scalar, DType::float32, {});
  const auto session = open(scalar);
  const auto seven = make_tensor<float>(DType::float32, {}, {7});
  EXPECT_THAT(session->run(feed("x", seven))[0].tensor.as<float>(),
              ElementsAre(7));
}

TEST_F(Session, ReadsSequencesAndTakesThemBack) {
  TinyModel model;
  model.input("x", DType::float32, {4});
  auto& split = model.node("SplitToSequence", {"x"}, {"s"});
  testing::set_int(split, "axis", 0);
  auto* out = model.proto().add_output();
  out->set_name("s");
  out->mutable_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(1);
  const auto session = open(model);
  EXPECT_EQ(session->outputs()[0].kind, ValueKind::sequence);
  const auto values = session->run(
      feed("x", make_tensor<float>(DType::float32, {4}, {1, 2, 3, 4})));
  ASSERT_EQ(values[0].kind, ValueKind::sequence);
  ASSERT_EQ(values[0].items.size(), 4u);
  EXPECT_THAT(values[0].items[2].tensor.as<float>(), ElementsAre(3));

  TinyModel join;
  auto* in = join.proto().add_input();
  *in->mutable_type() = out->type();
  in->set_name("s");
  auto& concat = join.node("ConcatFromSequence", {"s"}, {"y"});
  testing::set_int(concat, "axis", 0);
  join.output("y", DType::float32, {-1});
  const auto joined = open(join);
  EXPECT_EQ(joined->inputs()[0].kind, ValueKind::sequence);
  EXPECT_THAT(joined->run(feed("s", values[0]))[0].tensor.as<float>(),
              ElementsAre(1, 2, 3, 4));
}

TEST_F(Session, ReadsMaps) {
  TinyModel model;
  model.opset("ai.onnx.ml", 3);
  model.input("x", DType::float32, {1, 2});
  auto& zip = model.node("ZipMap", {"x"}, {"m"}, "", "ai.onnx.ml");
  testing::set_ints(zip, "classlabels_int64s", {10, 20});
  auto* out = model.proto().add_output();
  out->set_name("m");
  auto* map = out->mutable_type()
                  ->mutable_sequence_type()
                  ->mutable_elem_type()
                  ->mutable_map_type();
  map->set_key_type(7);
  map->mutable_value_type()->mutable_tensor_type()->set_elem_type(1);
  const auto values = open(model)->run(
      feed("x", make_tensor<float>(DType::float32, {1, 2}, {0.25f, 0.75f})));
  ASSERT_EQ(values[0].items.size(), 1u);
  const Value& first = values[0].items[0];
  ASSERT_EQ(first.kind, ValueKind::map);
  EXPECT_THAT(first.items[0].tensor.as<int64_t>(), ElementsAre(10, 20));
  EXPECT_THAT(first.items[1].tensor.as<float>(), ElementsAre(0.25f, 0.75f));
}

TEST_F(Session, ReadsAnEmptyOptionalAsNothing) {
  TinyModel model(18);
  auto& optional = model.node("Optional", {}, {"o"});
  auto& type = testing::attribute(optional, "type");
  type.set_type(onnx::AttributeProto::TYPE_PROTO);
  type.mutable_tp()->mutable_tensor_type()->set_elem_type(1);
  type.mutable_tp()->mutable_tensor_type()->mutable_shape()->add_dim();
  auto* out = model.proto().add_output();
  out->set_name("o");
  *out->mutable_type()->mutable_optional_type()->mutable_elem_type() =
      type.tp();
  model.input("unused", DType::float32, {1});
  const auto session = open(model);
  EXPECT_EQ(session->outputs()[0].kind, ValueKind::none);
  const auto values =
      session->run(feed("unused", make_tensor(DType::float32, {1})));
  EXPECT_EQ(values[0].kind, ValueKind::none);
}

TEST_F(Session, DoesNotAskForOverridableInitializers) {
  TinyModel model;
  model.input("x", DType::float32, {1, 2});
  model.input("w", DType::float32, {2, 1});
  model.floats("w", {2, 1}, {3, 4});
  model.node("MatMul", {"x", "w"}, {"y"});
  model.output("y", DType::float32, {1, 1});
  const auto session = open(model);
  ASSERT_EQ(session->inputs().size(), 1u);
  EXPECT_THAT(session
                  ->run(feed("x", make_tensor<float>(DType::float32, {1, 2},
                                                     {1, 10})))[0]
                  .tensor.as<float>(),
              ElementsAre(43));
}

TEST_F(Session, RefusesAFeedThatDoesNotFit) {
  TinyModel model;
  add_identity(model, DType::float32, {-1, 3});
  const auto session = open(model);
  EXPECT_THAT(refusal([&] {
                session->run(feed("x", make_tensor(DType::float64, {1, 3})));
              }),
              HasSubstr("nothing is cast"));
  EXPECT_THAT(refusal([&] {
                session->run(feed("z", make_tensor(DType::float32, {1, 3})));
              }),
              HasSubstr("no input 'z'"));
  Tensor wrong = make_tensor(DType::float32, {1, 3});
  wrong.bytes.pop_back();
  EXPECT_THAT(refusal([&] { session->run(feed("x", wrong)); }),
              HasSubstr("another size"));
}

TEST_F(Session, PassesOnTheRuntimesWords) {
  TinyModel model;
  model.input("x", DType::float32, {1});
  model.node("NoSuchOperator", {"x"}, {"y"});
  model.output("y", DType::float32, {1});
  ::testing::internal::CaptureStderr();
  const std::string words = refusal([&] { open(model); });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(words, AllOf(HasSubstr("could not load the model in memory"),
                           HasSubstr("NoSuchOperator")));
  TinyModel reshape;
  reshape.input("x", DType::float32, {-1});
  reshape.init<int64_t>("shape", DType::int64, {1}, {7});
  reshape.node("Reshape", {"x", "shape"}, {"y"});
  reshape.output("y", DType::float32, {7});
  const auto session = open(reshape);
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(refusal([&] {
                session->run(feed("x", make_tensor(DType::float32, {3})));
              }),
              HasSubstr("could not run the model"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Session, RefusesFilesThatAreNoModel) {
  testing::TempFolder folder;
  EXPECT_THAT(refusal([&] { open_session(runtime_, folder / "none.onnx"); }),
              HasSubstr("there is no file"));
  EXPECT_THAT(refusal([&] { open_session(runtime_, folder.path()); }),
              HasSubstr("is a folder"));
  testing::write_file(folder / "page.onnx", "<html></html>");
  EXPECT_THAT(refusal([&] { open_session(runtime_, folder / "page.onnx"); }),
              HasSubstr("could not load"));
  EXPECT_THAT(refusal([&] { open_session(runtime_, Bytes()); }),
              HasSubstr("could not load"));
}

TEST_F(Session, RefusesAProviderThatIsNotThere) {
  TinyModel model;
  add_identity(model, DType::float32, {1});
  SessionOptions options;
  options.providers = {"Imaginary"};
  EXPECT_THAT(refusal([&] { open(model, options); }),
              AllOf(HasSubstr("no provider 'Imaginary'"),
                    HasSubstr("CPUExecutionProvider")));
  options.providers = {"cpu"};
  EXPECT_NE(open(model, options), nullptr);
}

TEST_F(Session, RefusesAMissingLibraryOfOperators) {
  TinyModel model;
  add_identity(model, DType::float32, {1});
  SessionOptions options;
  options.custom_ops = {"/nowhere/libops.so"};
  EXPECT_THAT(refusal([&] { open(model, options); }),
              HasSubstr("'/nowhere/libops.so' does not load"));
}

TEST_F(Session, WritesTheGraphThatItRuns) {
  testing::TempFolder folder;
  TinyModel model;
  testing::add_m0(model);
  SessionOptions options;
  options.optimized_model = folder / "optimized.onnx";
  options.optimization = Optimization::extended;
  options.prepack = false;
  const auto session = open(model, options);
  EXPECT_GT(std::filesystem::file_size(folder / "optimized.onnx"), 0u);
  EXPECT_THAT(session
                  ->run(feed("x", make_tensor<float>(DType::float32, {1, 2},
                                                     {0, 255})))[0]
                  .tensor.as<float>(),
              ElementsAre(510, -32385));
}

TEST_F(Session, OutlivesTheCallersHoldOfTheRuntime) {
  TinyModel model;
  add_identity(model, DType::float32, {1});
  const auto session = open(model);
  runtime_.reset();
  EXPECT_EQ(session->run(feed("x", make_tensor(DType::float32, {1}))).size(),
            1u);
}

TEST(LoadRuntime, RefusesANamedLibraryThatDoesNotLoad) {
  testing::TempFolder folder;
  testing::write_file(folder / "lib.so", "not a library");
  const auto refusal = [](const std::filesystem::path& path) -> std::string {
    try {
      load_runtime({path});
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_THAT(refusal(folder / "lib.so"),
              AllOf(HasSubstr("lib.so"), HasSubstr("--runtime"),
                    HasSubstr("does not load")));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("holds no libonnxruntime"));
  EXPECT_THAT(refusal("libc.so.6"), HasSubstr("not ONNX Runtime"));
}

}  // namespace
}  // namespace octavo
