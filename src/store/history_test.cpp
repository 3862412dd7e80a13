#include "store/history.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/history_file.hpp"

namespace lmw::store {
namespace {

using testing::HasSubstr;

class HistoryTest : public testing::Test {
 protected:
  HistoryTest() {
    std::string name = (std::filesystem::temp_directory_path() / "lmwarden-history-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~HistoryTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "history.sqlite").string(); }
  static Sample at(std::int64_t time) {
    Sample sample{.at = time, .seconds = 10, .cached = 70, .computed = 30, .turns = 1, .in_flight_most = 2};
    sample.held_seconds = 4;
    sample.held_most = 3;
    sample.ttfb[16] = 3;
    return sample;
  }

  std::filesystem::path folder_;
};

TEST_F(HistoryTest, OutlivesARestart) {
  {
    History history(path());
    for (const std::int64_t time : {600, 610, 660}) history.add("Org/model \"x\"", at(time));
    history.add("other", at(600));
  }
  const History again(path());
  EXPECT_EQ(again.problem(), "");
  EXPECT_EQ(again.since("Org/model \"x\"", 0, 0), (std::vector<Sample>{at(600), at(610), at(660)}));
  EXPECT_EQ(again.since("Org/model \"x\"", 1, 0).front().cached, 140);
  EXPECT_EQ(again.since("other", 2, 0).size(), 1u);
}

TEST_F(HistoryTest, AddsModelsUpOverTheSameTime) {
  History history("");
  history.add("a", at(600));
  history.add("b", at(600));
  history.add("b", at(610));
  const auto all = history.since("", 0, 0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cached, 140);
  EXPECT_EQ(all[0].seconds, 10);
  EXPECT_EQ(all[1].cached, 70);
}

TEST_F(HistoryTest, SurvivesBeingKilledWithTheLastWriteThatReturned) {
  const pid_t child = fork();
  if (child == 0) {
    auto file = HistoryFile::open(path());
    const bool written = file && file->write({{"a", {0, at(600)}}});
    if (written && file->write({{"a", {0, at(610)}}})) kill(getpid(), SIGKILL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(History(path()).since("a", 0, 0).size(), 2u);
}

TEST_F(HistoryTest, TakesOverAFileOfTheLayoutBefore) {
  sqlite3* old = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &old), SQLITE_OK);
  const auto* layout_1 =
      "CREATE TABLE sample (model TEXT, resolution INTEGER, at INTEGER, seconds REAL, cached INTEGER,"
      "  computed INTEGER, completion INTEGER, turns INTEGER, unmeasured INTEGER, failed INTEGER,"
      "  in_flight_seconds REAL, in_flight_most INTEGER, ttfb TEXT,"
      "  PRIMARY KEY (model, resolution, at)) WITHOUT ROWID;"
      "INSERT INTO sample VALUES ('a', 0, 600, 10, 70, 30, 0, 1, 0, 0, 25, 2, '0,5');"
      "PRAGMA user_version = 1;";
  EXPECT_EQ(sqlite3_exec(old, layout_1, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(old);
  {
    History history(path());
    EXPECT_EQ(history.problem(), "");
    history.add("a", at(610));
  }
  const auto samples = History(path()).since("a", 0, 0);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].cached, 70);
  EXPECT_EQ(samples[0].ttfb[1], 5);
  EXPECT_EQ(samples[0].held_most, 0);
  EXPECT_EQ(samples[1], at(610));
}

TEST_F(HistoryTest, GoesOnInMemoryWhereTheFileCannotBeUsed) {
  std::ofstream(path()) << "this is no database, and long enough to be seen as none by its header";
  History history(path());
  EXPECT_THAT(history.problem(), HasSubstr("not a database"));
  history.add("a", at(600));
  EXPECT_EQ(history.since("a", 0, 0).size(), 1u);
}

TEST_F(HistoryTest, LeavesTheFileToTheProcessThatHasIt) {
  const History first(path());
  const History second(path());
  EXPECT_EQ(first.problem(), "");
  EXPECT_THAT(second.problem(), HasSubstr("another LM Warden has it open"));
}

TEST_F(HistoryTest, SaysThatThereIsNoFolder) {
  EXPECT_THAT(History((folder_ / "none" / "history.sqlite").string()).problem(), HasSubstr("unable to open"));
  EXPECT_EQ(History("").problem(), "no data directory is set");
}

TEST_F(HistoryTest, ForgetsWhatIsOlderThanItsResolutionKeeps) {
  auto file = HistoryFile::open(path()).value();
  ASSERT_TRUE(file.write({{"a", {0, at(0)}}, {"a", {1, at(0)}}, {"a", {0, at(resolutions[0].keep)}}}));
  ASSERT_TRUE(file.trim(resolutions[0].keep + 10));
  std::size_t rows = 0;
  ASSERT_TRUE(file.read([&](const ModelRow&) { ++rows; }));
  EXPECT_EQ(rows, 2u);
}

TEST_F(HistoryTest, KeepsABoundedNumberOfModels) {
  History history("");
  for (std::size_t i = 0; i < History::max_models + 5; ++i) history.add(std::to_string(i), at(600));
  EXPECT_EQ(history.since("", 0, 0).front().turns, static_cast<std::int64_t>(History::max_models));
}

}  // namespace
}  // namespace lmw::store
