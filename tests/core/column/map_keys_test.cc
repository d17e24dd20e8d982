// Among map entries with equal keys, the last one counts. Compares every way to find it with std::map.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "everything.structtensor.h"

namespace structtensor::testing {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string Len(char tag, std::string_view value) {
  std::string out(1, tag);
  for (size_t size = value.size();; size >>= 7) {
    out += static_cast<char>(size < 0x80 ? size : size | 0x80);
    if (size < 0x80) break;
  }
  return out + std::string(value);
}

// A Maps with `labels`: field 20, whose tag is A2 01.
std::string Message(const Entries& entries) {
  std::string out;
  for (const auto& [key, value] : entries) out += '\xa2' + Len('\x01', Len('\x0a', key) + Len('\x12', value));
  return out;
}

void ExpectLastWins(MapsDecoder& decoder, const std::vector<Entries>& messages) {
  std::vector<std::string> bytes;
  for (const Entries& entries : messages) bytes.push_back(Message(entries));
  const absl::StatusOr<MapsBatch> batch = decoder.Decode(bytes.begin(), bytes.end());
  ASSERT_TRUE(batch.ok()) << batch.status();
  const auto labels = batch->labels();
  for (size_t row = 0; row < messages.size(); ++row) {
    std::map<std::string, std::string> expected;
    for (const auto& [key, value] : messages[row]) expected[key] = value;
    std::map<std::string, std::string> actual;
    for (auto i = static_cast<size_t>(labels.row_splits()[row]); i < static_cast<size_t>(labels.row_splits()[row + 1]); ++i) {
      EXPECT_TRUE(actual.emplace(labels.key()[i], labels.value()[i]).second) << "a key appears twice in row " << row;
    }
    EXPECT_EQ(actual, expected) << "row " << row;
  }
}

TEST(MapKeysTest, AscendingKeys) {
  MapsDecoder decoder;
  ExpectLastWins(decoder, {{{"a", "1"}, {"b", "2"}, {"c", "3"}}, {}, {{"a", "4"}}, {{"", "5"}, {"a", "6"}}});
}

TEST(MapKeysTest, RepeatedKeys) {
  MapsDecoder decoder;
  ExpectLastWins(decoder, {{{"a", "1"}, {"a", "2"}},
                           {{"b", "1"}, {"a", "2"}, {"b", "3"}, {"b", "4"}, {"c", "5"}},
                           {{"", "1"}, {"", "2"}, {"", "3"}},
                           {{"x", "1"}}});
}

TEST(MapKeysTest, ManyKeysInManyRowsAndBatches) {
  std::mt19937_64 random(5);
  MapsDecoder decoder;
  for (int batch = 0; batch < 5; ++batch) {
    std::vector<Entries> messages(20);
    for (Entries& entries : messages) {
      for (size_t n = random() % 300; n > 0; --n)
        entries.emplace_back("key" + std::to_string(random() % 200), std::to_string(random()));
    }
    ExpectLastWins(decoder, messages);
  }
}

// Keys that differ only in their middle.
TEST(MapKeysTest, KeysMadeToCollide) {
  MapsDecoder decoder;
  std::vector<Entries> messages(3);
  for (Entries& entries : messages) {
    for (int i = 0; i < 400; ++i)
      entries.emplace_back("aaaaaaaa" + std::to_string(1000 + (i * 7) % 150) + "bbbbbbbb", std::to_string(i));
  }
  ExpectLastWins(decoder, messages);
}

}  // namespace
}  // namespace structtensor::testing
