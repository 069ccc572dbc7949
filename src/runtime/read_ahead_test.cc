#include "runtime/read_ahead.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "octavo/error.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;

// Batches that are known by `first`; `on_read` is called for each of them.
class Numbered : public SampleSource {
 public:
  std::function<void(int64_t)> on_read = [](int64_t) {};

  int64_t batches() const override { return 5; }
  int64_t samples() const override { return 5; }
  std::string description() const override { return "5 numbers"; }
  Batch batch(int64_t index) const override {
    on_read(index);
    Batch out;
    out.first = index;
    return out;
  }
};

std::vector<int64_t> all(ReadAhead& reader) {
  std::vector<int64_t> out;
  while (const auto batch = reader.next()) out.push_back(batch->first);
  return out;
}

constexpr auto kAlways = ReadAhead::Duration::zero();
constexpr auto kNever = ReadAhead::Duration::max();

TEST(ReadAhead, GivesEachBatchOnceInOrder) {
  const Numbered source;
  for (const auto slow : {kAlways, kNever}) {
    ReadAhead some(source, 1, 4, slow);
    EXPECT_THAT(all(some), ElementsAre(1, 2, 3));
    EXPECT_FALSE(some.next());
    ReadAhead none(source, 2, 2, slow);
    EXPECT_FALSE(none.next());
  }
}

TEST(ReadAhead, ReadsTheNextBatchWhileTheCallerWorks) {
  Numbered source;
  std::promise<std::thread::id> reads_second;
  source.on_read = [&](int64_t i) {
    if (i == 1) reads_second.set_value(std::this_thread::get_id());
  };
  ReadAhead reader(source, 0, 5, kAlways);
  reader.next();
  auto second = reads_second.get_future();
  ASSERT_EQ(second.wait_for(std::chrono::minutes(1)),
            std::future_status::ready);
  EXPECT_NE(second.get(), std::this_thread::get_id());
}

TEST(ReadAhead, StartsNoThreadForWhatIsReadQuickly) {
  Numbered source;
  std::vector<std::thread::id> readers;
  source.on_read = [&](int64_t) {
    readers.push_back(std::this_thread::get_id());
  };
  ReadAhead reader(source, 0, 5, kNever);
  all(reader);
  EXPECT_EQ(readers, std::vector(5, std::this_thread::get_id()));
}

TEST(ReadAhead, FailsWhereTheBatchIsAskedFor) {
  Numbered source;
  source.on_read = [](int64_t i) {
    if (i == 1) throw Error(ErrorKind::format, "batch 1 is broken");
  };
  ReadAhead reader(source, 0, 5, kAlways);
  EXPECT_EQ(reader.next()->first, 0);
  EXPECT_THROW(reader.next(), Error);
}

TEST(ReadAhead, WaitsForItsReaderAtTheEnd) {
  Numbered source;
  std::promise<void> left;
  std::atomic<bool> read = false;
  source.on_read = [&](int64_t i) {
    if (i != 1) return;
    left.get_future().wait();
    read = true;
  };
  {
    ReadAhead reader(source, 0, 5, kAlways);
    reader.next();
    left.set_value();
  }
  EXPECT_TRUE(read);
}

}  // namespace
}  // namespace octavo
