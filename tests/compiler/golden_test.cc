// The golden files are what this build's plugin writes.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "golden_plans.h"
#include "gtest/gtest.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;

constexpr char kRenew[] = "If the change is meant, renew the golden files with: tools/golden";

std::string FileText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "" if equal, otherwise the first line that differs.
std::string FirstDifference(const std::string& golden, const std::string& fresh) {
  std::istringstream golden_lines(golden);
  std::istringstream fresh_lines(fresh);
  std::string golden_line;
  std::string fresh_line;
  for (int line = 1;; ++line) {
    const bool in_golden = static_cast<bool>(std::getline(golden_lines, golden_line));
    const bool in_fresh = static_cast<bool>(std::getline(fresh_lines, fresh_line));
    if (!in_golden && !in_fresh) return golden == fresh ? "" : "the ends of the files differ";
    if (in_golden && in_fresh && golden_line == fresh_line) continue;
    return "line " + std::to_string(line) + "\n  golden: " + (in_golden ? golden_line : "(end)") +
           "\n  fresh:  " + (in_fresh ? fresh_line : "(end)");
  }
}

void ExpectGolden(const std::string& name, const std::string& fresh) {
  const fs::path path = fs::path(STRUCTTENSOR_GOLDEN_DIR) / name;
  EXPECT_TRUE(fs::exists(path)) << path << " is not there. " << kRenew;
  const std::string difference = FirstDifference(FileText(path), fresh);
  EXPECT_EQ(difference, "") << path << " is stale. " << kRenew;
}

TEST(GoldenTest, GeneratedSourcesAreAsCheckedIn) {
  for (const std::string& name : GeneratedSources()) {
    ExpectGolden(name, FileText(fs::path(STRUCTTENSOR_GENERATED_DIR) / name));
  }
}

TEST(GoldenTest, PlansAreAsCheckedIn) {
  for (const GoldenPlan& plan : GoldenPlans()) ExpectGolden(plan.file_name, plan.text);
}

TEST(GoldenTest, NoGoldenFileIsLeftOver) {
  std::set<std::string> fresh;
  for (const std::string& name : GeneratedSources()) fresh.insert(name);
  for (const GoldenPlan& plan : GoldenPlans()) fresh.insert(plan.file_name);
  for (const auto& entry : fs::directory_iterator(STRUCTTENSOR_GOLDEN_DIR)) {
    if (entry.path().extension() == ".proto") continue;
    EXPECT_EQ(fresh.count(entry.path().filename().string()), 1u) << entry.path() << " is no longer generated. " << kRenew;
  }
}

}  // namespace
}  // namespace structtensor
