#include "runtime/npz.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "octavo/error.h"
#include "runtime/npy.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempFolder;
using testing::write_file;

// numpy.savez_compressed(f, x=np.arange(6, dtype='<i2').reshape(3, 2)).
constexpr std::string_view kDeflated =
    "504b03042d000000080000002100758823bbffffffffffffffff05001400782e6e70790100"
    "10"
    "008c0000000000000052000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5"
    "a0"
    "6e9369a4aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac6"
    "3a"
    "0a469a3a0ab50a64032e06064606260666061606560600504b01022d032d00000008000000"
    "21"
    "00758823bb520000008c000000050000000000000000000000800100000000782e6e707950"
    "4b"
    "0506000000000100010033000000890000000000";

std::string deflated() {
  std::string out;
  for (size_t i = 0; i < kDeflated.size(); i += 2)
    out += static_cast<char>(
        std::stoi(std::string(kDeflated.substr(i, 2)), nullptr, 16));
  return out;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

Tensor read(const NpzFile& npz, const std::string& key) {
  const auto source = npz.open(key);
  return read_npy(*source, read_npy_header(*source));
}

TEST(NpzFile, ReadsDeflatedMembers) {
  TempFolder folder;
  write_file(folder / "a.npz", deflated());
  const NpzFile npz(folder / "a.npz");
  EXPECT_THAT(npz.keys(), ElementsAre("x"));
  EXPECT_TRUE(npz.has("x"));
  EXPECT_FALSE(npz.has("x.npy"));
  const Tensor x = read(npz, "x");
  EXPECT_THAT(x.shape, ElementsAre(3, 2));
  EXPECT_THAT(x.as<int16_t>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(NpzFile, ReadsRowsInAnyOrder) {
  TempFolder folder;
  write_file(folder / "deflated.npz", deflated());
  write_npz(folder / "stored.npz",
            std::vector<std::pair<std::string, Tensor>>{
                {"x", make_tensor<int16_t>(DType::int16, {3, 2},
                                           {0, 1, 2, 3, 4, 5})}});
  for (const char* name : {"deflated.npz", "stored.npz"}) {
    const auto source = NpzFile(folder / name).open("x");
    const NpyHeader header = read_npy_header(*source);
    for (int16_t row : {2, 0, 1, 1, 2, 0})
      EXPECT_THAT(read_npy_rows(*source, header, row, 1).as<int16_t>(),
                  ElementsAre(2 * row, 2 * row + 1))
          << name;
  }
}

TEST(NpzFile, OffersTheNearestKey) {
  TempFolder folder;
  write_npz(folder / "a.npz", std::vector<std::pair<std::string, Tensor>>{
                                  {"image", make_tensor(DType::float32, {1})},
                                  {"y", make_tensor(DType::int64, {1})}});
  const NpzFile npz(folder / "a.npz");
  EXPECT_THAT(refusal([&] { npz.open("imgae"); }),
              AllOf(HasSubstr("'imgae'"), HasSubstr("did you mean 'image'?"),
                    HasSubstr("'image' and 'y'")));
}

TEST(NpzFile, RefusesWhatIsNoArchive) {
  TempFolder folder;
  write_file(folder / "empty.npz", "");
  write_file(folder / "text.npz", "<html>not found</html>");
  write_file(folder / "cut.npz", deflated().substr(0, 150));
  for (const char* name : {"empty.npz", "text.npz", "cut.npz"})
    EXPECT_THAT(refusal([&] { NpzFile npz(folder / name); }),
                HasSubstr("cannot be read as an .npz archive"))
        << name;
  EXPECT_THAT(refusal([&] { NpzFile npz(folder / "none.npz"); }),
              HasSubstr("there is no file"));
  EXPECT_THAT(refusal([&] { NpzFile npz(folder.path()); }),
              HasSubstr("is a folder"));
}

TEST(NpzFile, RefusesAMemberThatClaimsTheImpossible) {
  // The uncompressed size stands 24 bytes into the central directory's entry.
  std::string bytes = deflated();
  const size_t central = bytes.find("PK\x01\x02");
  const uint32_t lie = 0x7fffffff;
  std::memcpy(bytes.data() + central + 24, &lie, 4);
  TempFolder folder;
  write_file(folder / "bomb.npz", bytes);
  EXPECT_THAT(refusal([&] { read(NpzFile(folder / "bomb.npz"), "x"); }),
              HasSubstr("more than a zip archive can"));
}

TEST(NpzFile, FindsDamageByTheChecksum) {
  std::string bytes;
  TempFolder folder;
  write_npz(folder / "a.npz",
            std::vector<std::pair<std::string, Tensor>>{
                {"x", make_tensor<int16_t>(DType::int16, {2}, {1, 2})}});
  bytes = testing::read_file(folder / "a.npz");
  bytes[bytes.find("\x93NUMPY") + 128] ^= 0x55;  // the first element
  write_file(folder / "b.npz", bytes);
  EXPECT_THAT(refusal([&] { read(NpzFile(folder / "b.npz"), "x"); }),
              HasSubstr("damaged"));
}

TEST(NpzFile, NeverBreaksOnDamage) {
  TempFolder folder;
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = deflated();
    for (int k = 0; k < 4; ++k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    write_file(folder / "x.npz", bytes);
    try {
      const NpzFile npz(folder / "x.npz");
      for (const std::string& key : npz.keys()) read(npz, key);
    } catch (const Error&) {
    }
  }
}

TEST(WriteNpz, ReplacesWholeOrLeavesNothing) {
  TempFolder folder;
  const std::vector<std::pair<std::string, Tensor>> arrays = {
      {"/out/y:0", make_tensor<float>(DType::float32, {1}, {1.5f})}};
  write_file(folder / "a.npz", "something older");
  write_npz(folder / "a.npz", arrays);
  EXPECT_EQ(testing::count_files(folder.path()), 1u);
  EXPECT_THAT(read(NpzFile(folder / "a.npz"), "/out/y:0").as<float>(),
              ElementsAre(1.5f));
  EXPECT_THAT(refusal([&] { write_npz(folder / "none" / "a.npz", arrays); }),
              HasSubstr("cannot be written"));
  std::filesystem::create_directories(folder / "dir" / "inside");
  EXPECT_THAT(refusal([&] { write_npz(folder / "dir", arrays); }),
              HasSubstr("cannot be written"));
  EXPECT_EQ(testing::count_files(folder.path()), 2u);
}

TEST(WriteNpz, MakesEqualFilesOfEqualArrays) {
  TempFolder folder;
  const std::vector<std::pair<std::string, Tensor>> arrays = {
      {"x", make_tensor<float>(DType::float32, {1}, {1.5f})}};
  write_npz(folder / "a.npz", arrays);
  write_npz(folder / "b.npz", arrays);
  EXPECT_EQ(testing::read_file(folder / "a.npz"),
            testing::read_file(folder / "b.npz"));
}

}  // namespace
}  // namespace octavo
