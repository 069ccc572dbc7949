#include "octavo/samples.h"

#include <gmock/gmock.h>

#include <set>

#include "octavo/error.h"
#include "proto/onnx.pb.h"
#include "runtime/npy.h"
#include "runtime/npz.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempFolder;

using Arrays = std::vector<std::pair<std::string, Tensor>>;

Port port(const std::string& name, DType type, std::vector<Dim> dims) {
  Port out;
  out.name = name;
  out.type = type;
  out.has_rank = !dims.empty();
  out.dims = std::move(dims);
  return out;
}

const Port kX = port("x", DType::float32, {{-1, "batch"}, {2, ""}});
const Port kIds = port("ids", DType::int64, {{-1, "batch"}, {-1, "seq"}});

std::string refusal(const SampleSpec& spec, const std::vector<Port>& ports) {
  try {
    open_samples(spec, ports);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

// rows x 2 floats: 0, 1, 2, ...
Tensor counting(int64_t rows) {
  Tensor t = make_tensor(DType::float32, {rows, 2});
  for (size_t i = 0; i < t.as<float>().size(); ++i)
    t.as<float>()[i] = static_cast<float>(i);
  return t;
}

void save_npy(const std::filesystem::path& path, const Tensor& tensor) {
  const auto bytes = npy_bytes(tensor);
  testing::write_file(
      path,
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void save_pb(const std::filesystem::path& path, const std::string& name,
             const Tensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(static_cast<int>(tensor.type));
  for (int64_t d : tensor.shape) proto.add_dims(d);
  proto.set_raw_data(tensor.bytes.data(), tensor.bytes.size());
  testing::write_file(path, proto.SerializeAsString());
}

SampleSpec stacked(const std::filesystem::path& path, int64_t batch = 1) {
  SampleSpec spec;
  spec.samples = path;
  spec.batch = batch;
  return spec;
}

TEST(StackedSamples, AreCutIntoBatches) {
  TempFolder folder;
  write_npz(folder / "s.npz",
            Arrays{{"x", counting(5)}, {"y", make_tensor(DType::int64, {5})}});
  const auto source = open_samples(stacked(folder / "s.npz", 2), {kX});
  EXPECT_EQ(source->samples(), 5);
  EXPECT_EQ(source->batches(), 3);
  EXPECT_FALSE(source->synthetic());
  EXPECT_THAT(source->description(), HasSubstr("5 samples of"));
  const Batch last = source->batch(2);
  EXPECT_EQ(last.first, 4);
  EXPECT_EQ(last.count, 1);
  EXPECT_EQ(last.name, "sample 4");
  const Batch middle = source->batch(1);
  EXPECT_EQ(middle.name, "samples 2 to 3");
  ASSERT_EQ(middle.feed.inputs.size(), 1u);  // labels are no input
  EXPECT_EQ(middle.feed.inputs[0].first, "x");
  EXPECT_THAT(middle.feed.inputs[0].second.tensor.shape, ElementsAre(2, 2));
  EXPECT_THAT(middle.feed.inputs[0].second.tensor.as<float>(),
              ElementsAre(4, 5, 6, 7));
}

TEST(StackedSamples, ComeFromAnNpyForOneInput) {
  TempFolder folder;
  save_npy(folder / "s.npy", counting(3));
  EXPECT_EQ(open_samples(stacked(folder / "s.npy"), {kX})->batches(), 3);
  EXPECT_THAT(refusal(stacked(folder / "s.npy"), {kX, kIds}),
              HasSubstr("has 2 inputs"));
}

TEST(StackedSamples, ReadFortranOrder) {
  // [[0, 1], [2, 3], [4, 5]] column by column.
  std::string dict =
      "{'descr': '|i1', 'fortran_order': True, 'shape': (3, 2), }";
  dict += std::string(128 - 10 - 1 - dict.size(), ' ') + "\n";
  TempFolder folder;
  testing::write_file(folder / "f.npy",
                      std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dict +
                          std::string("\x00\x02\x04\x01\x03\x05", 6));
  const auto source =
      open_samples(stacked(folder / "f.npy", 2),
                   {port("b", DType::int8, {{-1, ""}, {2, ""}})});
  EXPECT_THAT(source->batch(0).feed.inputs[0].second.tensor.as<int8_t>(),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(source->batch(1).feed.inputs[0].second.tensor.as<int8_t>(),
              ElementsAre(4, 5));
}

TEST(StackedSamples, NameTheNearestKeyOfAMissingInput) {
  TempFolder folder;
  write_npz(folder / "s.npz", Arrays{{"idss", counting(2)}});
  EXPECT_THAT(refusal(stacked(folder / "s.npz"), {kIds}),
              AllOf(HasSubstr("the input 'ids' (int64 [batch,seq]) is missing"),
                    HasSubstr("did you mean 'idss'?")));
}

TEST(StackedSamples, RefuseUnequalCounts) {
  TempFolder folder;
  write_npz(
      folder / "s.npz",
      Arrays{{"x", counting(3)}, {"ids", make_tensor(DType::int64, {4, 7})}});
  EXPECT_THAT(refusal(stacked(folder / "s.npz"), {kX, kIds}),
              AllOf(HasSubstr("3 samples"), HasSubstr("4 samples")));
}

TEST(StackedSamples, RefuseTheWrongTypeAndSize) {
  TempFolder folder;
  write_npz(folder / "s.npz",
            Arrays{{"x", make_tensor(DType::float64, {3, 2})},
                   {"ids", make_tensor(DType::int64, {3, 7})}});
  EXPECT_THAT(refusal(stacked(folder / "s.npz"), {kX}),
              HasSubstr("convert it to float32"));
  Port four = kX;
  four.type = DType::float64;
  four.dims[1].value = 4;
  EXPECT_THAT(refusal(stacked(folder / "s.npz"), {four}),
              HasSubstr("must be 4, not 2"));
}

TEST(StackedSamples, ExplainAMissingSampleAxis) {
  TempFolder folder;
  write_npz(folder / "s.npz", Arrays{{"x", make_tensor(DType::float32, {2})}});
  EXPECT_THAT(refusal(stacked(folder / "s.npz"), {kX}),
              AllOf(HasSubstr("one dimension fewer"), HasSubstr("x[None]")));
}

TEST(StackedSamples, ObeyAStaticLeadingDimension) {
  TempFolder folder;
  save_npy(folder / "s.npy", counting(3));
  const Port one = port("x", DType::float32, {{1, ""}, {2, ""}});
  EXPECT_EQ(open_samples(stacked(folder / "s.npy"), {one})->batches(), 3);
  EXPECT_THAT(
      refusal(stacked(folder / "s.npy", 2), {one}),
      AllOf(HasSubstr("leading dimension of 1"), HasSubstr("--batch 1")));
  const Port two = port("x", DType::float32, {{2, ""}, {2, ""}});
  EXPECT_THAT(refusal(stacked(folder / "s.npy", 2), {two}),
              HasSubstr("leave 1 out"));
}

TEST(StackedSamples, RefuseNoSamples) {
  TempFolder folder;
  save_npy(folder / "s.npy", counting(0));
  EXPECT_THAT(refusal(stacked(folder / "s.npy"), {kX}),
              HasSubstr("holds no samples"));
  EXPECT_THAT(refusal(stacked(folder / "none.npz"), {kX}),
              HasSubstr("there is no file"));
}

TEST(StackedSamples, ShareAScalarAmongBatches) {
  TempFolder folder;
  write_npz(folder / "s.npz",
            Arrays{{"x", counting(2)},
                   {"rate", make_tensor<int64_t>(DType::int64, {}, {16000})}});
  const auto source = open_samples(stacked(folder / "s.npz"),
                                   {kX, port("rate", DType::int64, {})});
  EXPECT_EQ(source->batches(), 2);
  const Batch batch = source->batch(1);
  EXPECT_THAT(batch.feed.inputs[1].second.tensor.as<int64_t>(),
              ElementsAre(16000));
}

TEST(GivenSamples, ComeFromEveryFormat) {
  TempFolder folder;
  save_npy(folder / "a.npy", counting(3));
  write_npz(folder / "a.npz",
            Arrays{{"x", counting(3)}, {"extra", counting(1)}});
  save_pb(folder / "a.pb", "x", counting(3));
  for (const char* name : {"a.npy", "a.npz", "a.pb"}) {
    SampleSpec spec;
    spec.inputs = {{"", folder / name}};
    const auto source = open_samples(spec, {kX});
    EXPECT_EQ(source->batches(), 1) << name;
    EXPECT_EQ(source->samples(), 3) << name;
    EXPECT_EQ(source->batch(0).feed.inputs[0].second.tensor.bytes,
              counting(3).bytes)
        << name;
  }
}

TEST(GivenSamples, AreJoinedByName) {
  TempFolder folder;
  save_npy(folder / "a.npy", counting(3));
  save_pb(folder / "b.pb", "ids", make_tensor(DType::int64, {3, 9}));
  SampleSpec spec;
  spec.inputs = {{"", folder / "b.pb"}, {"x", folder / "a.npy"}};
  const Batch batch = open_samples(spec, {kX, kIds})->batch(0);
  EXPECT_EQ(batch.feed.inputs[0].first, "x");
  EXPECT_EQ(batch.feed.inputs[1].first, "ids");
  spec.inputs[1].name = "z";
  EXPECT_THAT(refusal(spec, {kX, kIds}), HasSubstr("no input 'z'"));
  spec.inputs[1].name = "";
  EXPECT_THAT(refusal(spec, {kX, kIds}), HasSubstr("--input NAME="));
  spec.inputs[1].name = "ids";
  EXPECT_THAT(refusal(spec, {kX, kIds}), HasSubstr("given twice"));
  spec.inputs.pop_back();
  EXPECT_THAT(refusal(spec, {kX, kIds}), HasSubstr("'x' (float32 [batch,2])"));
}

TEST(GivenSamples, CheckOneDimensionAcrossInputs) {
  TempFolder folder;
  save_npy(folder / "a.npy", counting(3));
  save_npy(folder / "b.npy", make_tensor(DType::int64, {4, 9}));
  SampleSpec spec;
  spec.inputs = {{"x", folder / "a.npy"}, {"ids", folder / "b.npy"}};
  EXPECT_THAT(refusal(spec, {kX, kIds}),
              HasSubstr("'batch' is 4, and the input 'x' made it 3"));
}

TEST(FolderSamples, TakeDataSetsInNaturalOrder) {
  TempFolder folder;
  for (int i : {10, 2, 1}) {
    const auto set = folder / ("test_data_set_" + std::to_string(i));
    std::filesystem::create_directory(set);
    save_pb(set / "input_0.pb", "", counting(i));
    save_pb(set / "input_1.pb", "",
            make_tensor<int64_t>(DType::int64, {i, 1},
                                 std::vector<int64_t>(10, i)));
    save_pb(set / "output_0.pb", "", counting(1));
  }
  const auto source = open_samples(stacked(folder.path()), {kX, kIds});
  EXPECT_EQ(source->batches(), 3);
  EXPECT_EQ(source->samples(), 13);
  const Batch last = source->batch(2);
  EXPECT_EQ(last.first, 3);
  EXPECT_EQ(last.count, 10);
  EXPECT_EQ(last.feed.inputs[1].second.tensor.as<int64_t>()[0], 10);
}

TEST(FolderSamples, TakeTheNameInsideBeforeTheOrder) {
  TempFolder folder;
  save_pb(folder / "input_0.pb", "ids", make_tensor(DType::int64, {1, 1}));
  save_pb(folder / "input_1.pb", "x", counting(1));
  const auto source = open_samples(stacked(folder.path()), {kX, kIds});
  EXPECT_EQ(source->batches(), 1);
  EXPECT_EQ(source->batch(0).feed.inputs[0].second.tensor.type, DType::float32);
}

TEST(FolderSamples, TakeArrayFilesOneABatch) {
  TempFolder folder;
  save_npy(folder / "s10.npy", counting(1));
  save_npy(folder / "s9.npy", counting(4));
  testing::write_file(folder / "notes.txt", "not a sample");
  const auto source = open_samples(stacked(folder.path()), {kX});
  EXPECT_EQ(source->batches(), 2);
  EXPECT_EQ(source->batch(0).count, 4);
  EXPECT_THAT(source->description(), HasSubstr("2 batches of"));
}

TEST(FolderSamples, RefuseAFolderWithout) {
  TempFolder folder;
  EXPECT_THAT(refusal(stacked(folder.path()), {kX}),
              HasSubstr("holds no samples"));
}

SampleSpec generated(int64_t batches, int64_t batch = 1) {
  SampleSpec spec;
  spec.random = batches;
  spec.batch = batch;
  return spec;
}

TEST(RandomSamples, AreTheSameForTheSameSeed) {
  SampleSpec spec = generated(3, 2);
  const auto a = open_samples(spec, {kX}), b = open_samples(spec, {kX});
  spec.seed = 1;
  const auto c = open_samples(spec, {kX});
  const auto bytes = [](const Batch& batch) {
    return batch.feed.inputs[0].second.tensor.bytes;
  };
  EXPECT_TRUE(a->synthetic());
  EXPECT_EQ(a->samples(), 6);
  EXPECT_EQ(a->batch(2).first, 4);
  EXPECT_EQ(bytes(a->batch(1)), bytes(b->batch(1)));
  EXPECT_NE(bytes(a->batch(1)), bytes(a->batch(2)));
  EXPECT_NE(bytes(a->batch(1)), bytes(c->batch(1)));
}

TEST(RandomSamples, SizeOpenDimensions) {
  SampleSpec spec = generated(1, 4);
  EXPECT_THAT(open_samples(spec, {kX, kIds})->description(),
              HasSubstr("1 random batch (seed 0; batch=4, seq=16)"));
  spec.dims = {{"seq", 5}, {"x:0", 4}};
  const Batch batch = open_samples(spec, {kX, kIds})->batch(0);
  EXPECT_THAT(batch.feed.inputs[1].second.tensor.shape, ElementsAre(4, 5));
  spec.dims = {{"sequence", 5}};
  EXPECT_THAT(refusal(spec, {kX, kIds}), HasSubstr("did you mean 'seq'?"));
  spec.dims = {{"seq", -5}};
  EXPECT_THAT(refusal(spec, {kX, kIds}), HasSubstr("cannot be -5"));
}

TEST(RandomSamples, FillByTypeAndName) {
  const std::vector<Dim> dims = {{500, ""}};
  const std::vector<Port> ports = {port("input_ids", DType::int64, dims),
                                   port("attention_mask", DType::int64, dims),
                                   port("token_type_ids", DType::int64, dims),
                                   port("pixels", DType::uint8, dims),
                                   port("flag", DType::boolean, dims)};
  const Batch batch = open_samples(generated(1), ports)->batch(0);
  const auto tensor = [&](size_t i) -> const Tensor& {
    return batch.feed.inputs[i].second.tensor;
  };
  std::set<int64_t> ids;
  for (int64_t v : tensor(0).as<int64_t>()) ids.insert(v);
  EXPECT_GE(*ids.begin(), 0);
  EXPECT_LT(*ids.rbegin(), 100);
  EXPECT_GT(ids.size(), 50u);
  for (int64_t v : tensor(1).as<int64_t>()) EXPECT_EQ(v, 1);
  for (int64_t v : tensor(2).as<int64_t>()) EXPECT_EQ(v, 0);
  std::set<int> pixels, flags;
  for (uint8_t v : tensor(3).as<uint8_t>()) pixels.insert(v);
  for (uint8_t v : tensor(4).as<uint8_t>()) flags.insert(v);
  EXPECT_GT(*pixels.rbegin(), 200);
  EXPECT_THAT(flags, ElementsAre(0, 1));
}

TEST(RandomSamples, StayInTheirRange) {
  const std::vector<Dim> dims = {{300, ""}};
  SampleSpec spec = generated(1);
  spec.ranges = {{"f", {-2, -1}}, {"i", {-1, 2}}};
  const Batch batch = open_samples(spec, {port("f", DType::float32, dims),
                                          port("i", DType::int32, dims)})
                          ->batch(0);
  for (float v : batch.feed.inputs[0].second.tensor.as<float>()) {
    EXPECT_GE(v, -2);
    EXPECT_LE(v, -1);
  }
  std::set<int> seen;
  for (int v : batch.feed.inputs[1].second.tensor.as<int32_t>()) seen.insert(v);
  EXPECT_THAT(seen, ElementsAre(-1, 0, 1));
}

TEST(RandomSamples, RefuseRangesThatMakeNoSense) {
  const Port small = port("u", DType::uint8, {{2, ""}});
  const auto with = [&](double low, double high) {
    SampleSpec spec = generated(1);
    spec.ranges = {{"u", {low, high}}};
    return refusal(spec, {small});
  };
  EXPECT_THAT(with(0, 257), HasSubstr("does not fit the type"));
  EXPECT_THAT(with(-1, 5), HasSubstr("does not fit the type"));
  EXPECT_THAT(with(0.25, 0.75), HasSubstr("holds no integer"));
  EXPECT_THAT(with(5, 1), HasSubstr("must go from"));
  EXPECT_EQ(with(0, 256), "nothing was refused");
  SampleSpec spec = generated(1);
  spec.ranges = {{"v", {0, 1}}};
  EXPECT_THAT(refusal(spec, {small}), HasSubstr("no input 'v'"));
}

TEST(RandomSamples, RefuseWhatCannotBeGenerated) {
  EXPECT_THAT(refusal(generated(1), {port("s", DType::string, {{1, ""}})}),
              HasSubstr("--input s=FILE"));
  EXPECT_THAT(refusal(generated(-1), {kX}), HasSubstr("-1 random batches"));
  SampleSpec spec = generated(1);
  spec.dims = {{"seq", int64_t{1} << 62}};
  EXPECT_NE(refusal(spec, {kIds}), "nothing was refused");
}

TEST(OpenSamples, WantsExactlyOneOrigin) {
  EXPECT_THAT(refusal({}, {kX}), HasSubstr("nothing says what to feed"));
  SampleSpec spec = generated(1);
  spec.samples = "x.npz";
  EXPECT_THAT(refusal(spec, {kX}), HasSubstr("several things"));
  spec = stacked("x.npz");
  spec.dims = {{"batch", 2}};
  EXPECT_THAT(refusal(spec, {kX}), HasSubstr("needs --random"));
  EXPECT_THAT(refusal(generated(1, 0), {kX}), HasSubstr("a batch of 0"));
}

TEST(LoadArray, TakesAFileOrAKey) {
  TempFolder folder;
  save_npy(folder / "y.npy", counting(2));
  write_npz(folder / "one.npz", Arrays{{"y", counting(3)}});
  write_npz(folder / "two.npz", Arrays{{"a", counting(1)}, {"y", counting(4)}});
  const auto rows = [&](const std::string& text) {
    return load_array((folder / text).string()).shape[0];
  };
  EXPECT_EQ(rows("y.npy"), 2);
  EXPECT_EQ(rows("one.npz"), 3);
  EXPECT_EQ(rows("two.npz:y"), 4);
  EXPECT_THROW(rows("two.npz"), Error);
  EXPECT_THROW(rows("two.npz:z"), Error);
  EXPECT_THROW(rows("y.npy:y"), Error);
  EXPECT_THROW(rows("none.npy"), Error);
  testing::write_file(folder / "page.html", "<html></html>");
  EXPECT_THROW(rows("page.html"), Error);
}

}  // namespace
}  // namespace octavo
