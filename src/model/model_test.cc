#include "octavo/model.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "model/data.h"
#include "octavo/error.h"
#include "testing/temp_folder.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

using testing::as_bytes;
using testing::count_files;
using testing::read_file;
using testing::TempFolder;
using testing::TinyModel;
using testing::write_file;

std::vector<float> ramp(size_t n) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i) - 100;
  return v;
}

// Two large weights, one small, one in a Constant node.
std::string sample_model() {
  TinyModel m;
  m.input("x", DType::float32, {1, 40});
  m.floats("w1", {40, 40}, ramp(1600));
  m.floats("w2", {40, 40}, ramp(1600));
  m.floats("small", {2}, {1, 2});
  m.constant<float>("c", DType::float32, {40, 40}, ramp(1600));
  m.node("MatMul", {"x", "w1"}, {"a"});
  m.node("MatMul", {"a", "w2"}, {"b"});
  m.node("MatMul", {"b", "c"}, {"y"});
  m.output("y", DType::float32, {1, 40});
  return m.bytes();
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "(no error)";
}

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto m;
  EXPECT_TRUE(m.ParseFromString(bytes));
  return m;
}

TEST(WriteModel, GivesBackTheSameModelFromFileAndFromMemory) {
  const TempFolder dir;
  const std::string bytes = sample_model();
  write_file(dir / "m.onnx", bytes);
  const Model model = open_model(dir / "m.onnx");
  EXPECT_EQ(model.data().blobs.size(), 3u);
  for (const int threads : {1, 3}) {
    WriteOptions options;
    options.threads = threads;
    const WriteStats stats = write_model(model, dir / "out.onnx", options);
    EXPECT_EQ(stats.bytes, bytes.size());
    EXPECT_EQ(parsed(read_file(dir / "out.onnx")).SerializeAsString(), bytes);
  }
  const auto memory = write_model(open_model(as_bytes(bytes)));
  EXPECT_EQ(
      parsed({reinterpret_cast<const char*>(memory.data()), memory.size()})
          .SerializeAsString(),
      bytes);
}

TEST(WriteModel, MayReplaceItsOwnInputAndKeepsItsPermissions) {
  const TempFolder dir;
  write_file(dir / "m.onnx", sample_model());
  ASSERT_EQ(chmod((dir / "m.onnx").c_str(), 0640), 0);
  const Model model = open_model(dir / "m.onnx");
  write_model(model, dir / "m.onnx");
  EXPECT_EQ(parsed(read_file(dir / "m.onnx")).SerializeAsString(),
            sample_model());
  struct stat st{};
  ASSERT_EQ(stat((dir / "m.onnx").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0640u);
  EXPECT_EQ(count_files(dir.path()), 1u);
}

TEST(WriteModel, MovesInitializersOutAboveTheLimitAndReadsThemBack) {
  const TempFolder dir;
  write_file(dir / "m.onnx", sample_model());
  const Model model = open_model(dir / "m.onnx");
  WriteOptions options;
  options.inline_limit = 10000;
  options.external = ExternalData::never;
  EXPECT_NE(message_of([&] {
              write_model(model, dir / "o.onnx", options);
            }).find("at most 10000"),
            std::string::npos);
  EXPECT_EQ(count_files(dir.path()), 1u);

  options.external = ExternalData::automatic;
  const WriteStats stats = write_model(model, dir / "o.onnx", options);
  // 6400 bytes, padded to 8192, then the other 6400.
  EXPECT_EQ(stats.external_bytes, 8192u + 6400u);
  EXPECT_EQ(read_file(dir / "o.onnx.data").size(), stats.external_bytes);
  // Reading it back and writing it inside gives the original again.
  const Model back = open_model(dir / "o.onnx");
  write_model(back, dir / "again.onnx");
  EXPECT_EQ(parsed(read_file(dir / "again.onnx")).SerializeAsString(),
            sample_model());
  // Writing over itself does not grow the data file.
  options.external = ExternalData::always;
  write_model(back, dir / "o.onnx", options);
  EXPECT_EQ(read_file(dir / "o.onnx.data").size(), stats.external_bytes);
}

TEST(WriteModel, LeavesNothingWhenTheCheckRefuses) {
  const TempFolder dir;
  write_file(dir / "m.onnx", sample_model());
  write_file(dir / "out.onnx", "old");
  const Model model = open_model(dir / "m.onnx");
  WriteOptions options;
  options.check = [&](const Written& w) {
    EXPECT_EQ(parsed(read_file(w.file)).SerializeAsString(), sample_model());
    throw Error(ErrorKind::runtime, "no");
  };
  EXPECT_EQ(message_of([&] { write_model(model, dir / "out.onnx", options); }),
            "no");
  EXPECT_EQ(read_file(dir / "out.onnx"), "old");
  EXPECT_EQ(count_files(dir.path()), 2u);
}

TEST(WriteModel, LeavesNothingWhenProgressThrowsAtTheVeryEnd) {
  const TempFolder dir;
  const std::string bytes = sample_model();
  const Model model = open_model(as_bytes(bytes));
  bool checked = false;
  WriteOptions options;
  options.check = [&](const Written&) { checked = true; };
  options.progress = [&](uint64_t done, uint64_t all) {
    if (checked && done == all) throw Error(ErrorKind::usage, "stop");
  };
  EXPECT_EQ(message_of([&] { write_model(model, dir / "out.onnx", options); }),
            "stop");
  EXPECT_EQ(count_files(dir.path()), 0u);
}

TEST(WriteModel, TellsWhereEachBlobLies) {
  const TempFolder dir;
  write_file(dir / "m.onnx", sample_model());
  const Model model = open_model(dir / "m.onnx");
  for (const auto external : {ExternalData::never, ExternalData::always}) {
    WriteOptions options;
    options.external = external;
    options.check = [&](const Written& w) {
      ASSERT_EQ(w.blobs.size(), model.data().blobs.size());
      for (size_t i = 0; i < w.blobs.size(); ++i) {
        const Bytes want = model.data().blobs[i].view;
        const std::string file =
            read_file(w.blobs[i].outside ? w.data_file : w.file);
        EXPECT_EQ(file.substr(w.blobs[i].offset, want.size()),
                  std::string(reinterpret_cast<const char*>(want.data()),
                              want.size()));
      }
    };
    write_model(model, dir / "out.onnx", options);
  }
}

TEST(WriteModel, NamesWhatTheSystemRefuses) {
  const TempFolder dir;
  const std::string bytes = sample_model();
  const Model model = open_model(as_bytes(bytes));
  EXPECT_NE(message_of([&] {
              write_model(model, dir / "no/out.onnx");
            }).find("create the folder first"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              write_model(model, dir.path());
            }).find("is a directory"),
            std::string::npos);
}

TEST(WriteModel, RemovesWhatAKilledWriterLeft) {
  const TempFolder dir;
  write_file(dir / ".out.onnx.octavo-1-1.tmp", "half");
  write_file(dir / ".other.onnx.octavo-1-1.tmp", "not ours to judge");
  const std::string bytes = sample_model();
  write_model(open_model(as_bytes(bytes)), dir / "out.onnx");
  EXPECT_FALSE(exists(dir / ".out.onnx.octavo-1-1.tmp"));
  EXPECT_TRUE(exists(dir / ".other.onnx.octavo-1-1.tmp"));
}

// Lazy bytes: byte i is i mod 251, made in pieces of its grain only.
class Counting : public LazyBytes {
 public:
  explicit Counting(uint64_t grain) : grain_(grain) {}
  uint64_t grain() const override { return grain_; }
  void fill(uint64_t begin, std::span<std::byte> out) const override {
    EXPECT_EQ(begin % grain_, 0u);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::byte>((begin + i) % 251);
  }
  void release() const override { ++released; }
  mutable std::atomic<int> released = 0;

 private:
  uint64_t grain_;
};

TEST(WriteModel, MakesLazyBlobsInPiecesOfTheirGrain) {
  const TempFolder dir;
  const std::string bytes = sample_model();
  for (const uint64_t grain : {1u, 1000u, 700000u, 9000000u}) {
    Model model = open_model(as_bytes(bytes));
    const uint64_t size = 3000017;
    const auto lazy = std::make_shared<Counting>(grain);
    auto& t = *model.data().proto.mutable_graph()->mutable_initializer(0);
    t.clear_dims();
    t.add_dims(static_cast<int64_t>(size));
    t.set_data_type(2);
    t.set_blob(model.data().add_blob(lazy_blob(size, lazy)));
    WriteOptions options;
    options.threads = 3;
    write_model(model, dir / "out.onnx", options);
    EXPECT_EQ(lazy->released, 1);
    const std::string raw =
        parsed(read_file(dir / "out.onnx")).graph().initializer(0).raw_data();
    ASSERT_EQ(raw.size(), size);
    for (size_t i = 0; i < size; ++i)
      ASSERT_EQ(static_cast<uint8_t>(raw[i]), i % 251) << i;
  }
}

TEST(OpenModel, SaysWhatAFileIsInsteadOfAModel) {
  const TempFolder dir;
  const auto says = [&](const std::string& content) {
    write_file(dir / "f", content);
    return message_of([&] { open_model(dir / "f"); });
  };
  EXPECT_NE(says("").find("the file is empty"), std::string::npos);
  EXPECT_NE(says("PK\x03\x04 and so on").find("zip archive"),
            std::string::npos);
  EXPECT_NE(says("<!DOCTYPE html>").find("web page"), std::string::npos);
  EXPECT_NE(says(std::string("\x20\0\0\0ORTM....", 12)).find(".ort"),
            std::string::npos);
  EXPECT_NE(says("version https://git-lfs.github.com").find("Git LFS"),
            std::string::npos);
  EXPECT_NE(says(sample_model().substr(0, 9000)).find("cut off"),
            std::string::npos);
  EXPECT_NE(says("hello, world").find("damaged"), std::string::npos);
  EXPECT_NE(says("\x08\x08").find("no graph"), std::string::npos);
  EXPECT_NE(message_of([&] { open_model(dir / "none"); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(message_of([&] { open_model(dir.path()); }).find("directory"),
            std::string::npos);
}

TEST(OpenModel, RefusesAPayloadThatDoesNotFitItsShape) {
  TinyModel m;
  m.floats("w", {40, 40}, ramp(1599));
  EXPECT_NE(message_of([&] {
              const std::string bytes = m.bytes();
              open_model(as_bytes(bytes));
            }).find("'w' has 6396 bytes of data"),
            std::string::npos);
}

// One external tensor with the entries given.
std::string external_model(const std::string& location,
                           const std::string& offset,
                           const std::string& length) {
  TinyModel m;
  auto* t = m.proto().add_initializer();
  t->set_name("w");
  t->set_data_type(1);
  t->add_dims(4);
  t->set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char* key, const std::string& value) {
    auto* e = t->add_external_data();
    e->set_key(key);
    e->set_value(value);
  };
  add("location", location);
  if (!offset.empty()) add("offset", offset);
  if (!length.empty()) add("length", length);
  return m.bytes();
}

TEST(OpenModel, ReadsExternalDataAtOddOffsets) {
  const TempFolder dir;
  const std::vector<float> values = {1, -2, 3.5, 4};
  std::string data = "odd";
  data.append(reinterpret_cast<const char*>(values.data()), 16);
  write_file(dir / "d.bin", data);
  write_file(dir / "m.onnx", external_model("d.bin", "3", ""));
  Model model = open_model(dir / "m.onnx");
  std::vector<std::byte> storage;
  const Bytes got =
      payload(model.data(), model.data().proto.graph().initializer(0), storage);
  EXPECT_EQ(std::memcmp(got.data(), values.data(), 16), 0);
}

TEST(OpenModel, RefusesExternalDataThatIsNotThereOrOutside) {
  const TempFolder dir;
  std::filesystem::create_directory(dir / "in");
  write_file(dir / "secret", std::string(100, 'x'));
  write_file(dir / "in/d.bin", std::string(18, 'x'));
  std::filesystem::create_symlink(dir / "secret", dir / "in/link");
  const auto says = [&](const std::string& location, const std::string& offset,
                        const std::string& length) {
    write_file(dir / "in/m.onnx", external_model(location, offset, length));
    return message_of([&] { open_model(dir / "in/m.onnx"); });
  };
  EXPECT_NE(says("none", "0", "16").find("is not there"), std::string::npos);
  EXPECT_NE(says("d.bin", "4", "16").find("has only 18"), std::string::npos);
  EXPECT_NE(says("d.bin", "18446744073709551615", "16").find("has only 18"),
            std::string::npos);
  EXPECT_NE(says("d.bin", "-1", "16").find("number of bytes"),
            std::string::npos);
  EXPECT_NE(says("d.bin", "0", "12").find("need 16"), std::string::npos);
  EXPECT_NE(says("../secret", "0", "16").find("outside"), std::string::npos);
  EXPECT_NE(says("link", "0", "16").find("outside"), std::string::npos);
  EXPECT_NE(says((dir / "secret").string(), "0", "16").find("outside"),
            std::string::npos);
  EXPECT_NE(says("", "0", "16").find("names no file"), std::string::npos);
}

TEST(OpenModel, NeedsAFolderForExternalDataOfAModelInMemory) {
  const TempFolder dir;
  write_file(dir / "d.bin", std::string(16, 'x'));
  const std::string bytes = external_model("d.bin", "0", "16");
  EXPECT_NE(message_of([&] {
              open_model(as_bytes(bytes));
            }).find("has no folder to look in"),
            std::string::npos);
  EXPECT_EQ(open_model(as_bytes(bytes), dir.path()).bytes(), bytes.size() + 16);
}

}  // namespace
}  // namespace octavo
