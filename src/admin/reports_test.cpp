#include "admin/reports.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace lmw::admin {
namespace {

namespace fs = std::filesystem;

class ReportsTest : public testing::Test {
 protected:
  ReportsTest() {
    std::string folder = testing::TempDir() + "reports-XXXXXX";
    folder_ = mkdtemp(folder.data());
    reports_.emplace(folder_ + "/reports");
  }
  ~ReportsTest() override { fs::remove_all(folder_); }

  static report::Report made(const std::string& title) {
    return {.title = title, .arms = {{.name = "off", .steps = {{.sessions = 4, .turns = 7}}}}};
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(reports_->folder());
    std::ofstream(reports_->folder() + "/" + name) << text;
  }

  std::string folder_;
  std::optional<Reports> reports_;
};

TEST_F(ReportsTest, WhatIsStoredIsListedAndReadAndRemoved) {
  EXPECT_TRUE(reports_->list().empty());
  const auto id = reports_->add(made("Lab: published, 2 × 3"), 0).value();
  EXPECT_EQ(id, "lab-published-2-3-19700101-000000");
  const auto all = reports_->list();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, id);
  EXPECT_EQ(all[0].report->title, "Lab: published, 2 × 3");
  EXPECT_EQ(reports_->read(id)->arms[0].steps[0].turns, 7);
  EXPECT_TRUE(reports_->remove(id).value());
  EXPECT_FALSE(reports_->remove(id).value());
  EXPECT_FALSE(reports_->read(id));
}

TEST_F(ReportsTest, TwoOfOneSecondHaveDifferentIds) {
  const auto one = reports_->add(made("a"), 0).value();
  const auto two = reports_->add(made("a"), 0).value();
  EXPECT_NE(one, two);
  EXPECT_EQ(reports_->list().size(), 2U);
}

TEST_F(ReportsTest, ATitleCanBeAnything) {
  for (const auto* title : {"", "../../etc/passwd", "<script>", "\xff\xfe", ".hidden"}) {
    const auto id = reports_->add(made(title), 0);
    ASSERT_TRUE(id) << title;
    EXPECT_TRUE(is_report_id(*id)) << *id;
    EXPECT_TRUE(reports_->read(*id)) << *id;
  }
}

TEST_F(ReportsTest, AFileThatHoldsNoReportIsListedWithTheReason) {
  put("broken.json", "{");
  put("large.json", std::string(Reports::most_bytes + 1, ' '));
  put("notes.txt", "{}");
  put(".hidden.json", "{}");
  const auto all = reports_->list();
  ASSERT_EQ(all.size(), 2U);
  for (const auto& each : all) EXPECT_FALSE(each.report) << each.id;
}

TEST_F(ReportsTest, IdsCanNotLeaveTheFolder) {
  for (const auto* id : {"", ".", "..", "../x", "a/b", "a\\b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(is_report_id(id)) << id;
    EXPECT_FALSE(reports_->read(id)) << id;
    EXPECT_FALSE(reports_->remove(id).value()) << id;
  }
  EXPECT_FALSE(is_report_id(std::string(121, 'a')));
}

TEST_F(ReportsTest, NoMoreAreStoredThanThereIsRoomFor) {
  for (std::size_t i = 0; i < Reports::most; ++i) put(std::to_string(i) + ".json", "{}");
  EXPECT_NE(reports_->problem(), "");
  EXPECT_FALSE(reports_->add(made("a"), 0));
  EXPECT_TRUE(reports_->remove("0").value());
  EXPECT_TRUE(reports_->add(made("a"), 0));
}

TEST_F(ReportsTest, TooLargeAReportIsRefused) {
  EXPECT_FALSE(reports_->add(made(std::string(Reports::most_bytes, 'a')), 0));
  EXPECT_TRUE(reports_->list().empty());
}

TEST_F(ReportsTest, AFolderThatCanNotBeMadeIsAnErrorAndNothingElse) {
  std::ofstream(folder_ + "/file") << "x";
  Reports reports(folder_ + "/file/reports");
  EXPECT_TRUE(reports.list().empty());
  EXPECT_THAT(reports.add(made("a"), 0).error().message, testing::HasSubstr("can't make"));
}

TEST(Reports, WithoutAFolderNothingIsStored) {
  Reports reports("");
  EXPECT_EQ(reports.problem(), "no data directory is set");
  EXPECT_TRUE(reports.list().empty());
  EXPECT_FALSE(reports.add({}, 0));
  EXPECT_FALSE(reports.read("a"));
}

}  // namespace
}  // namespace lmw::admin
