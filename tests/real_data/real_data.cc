#include "real_data.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "delimited_file.h"

namespace structtensor::testing {

std::string RealDataSet::name() const { return std::filesystem::path(folder).filename().string() + "/" + file; }

void RealDataTest::SetUp() {
  const std::filesystem::path folder = set().folder;
  if (set().plan == nullptr || !std::filesystem::exists(folder / set().file)) {
    GTEST_SKIP() << "real data set " << set().name() << " is missing: " << (folder / set().file).string() << " does not exist";
  }
  schema_ = std::make_unique<OracleSchema>((folder / "descriptor_set.pb").string());
  type_ = schema_->Find(std::string(plan().full_name));
  bytes_ = ReadWholeFile((folder / set().file).string());
  messages_ = SplitDelimited(bytes_);
  ASSERT_FALSE(messages_.empty()) << set().name() << " is empty or damaged";
}

std::string NameOfRealDataSet(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = RealDataSets()[info.param].name();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace structtensor::testing
