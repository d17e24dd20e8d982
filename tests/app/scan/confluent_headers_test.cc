// Scans of messages with Confluent headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scan_testutil.h"
#include "structtensor/app/scan/scan.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Message indexes as the headers of Confluent's serializers have them, with fewer than 64 indexes below 64.
std::string WithIndexes(const std::vector<int>& indexes, const std::string& message) {
  std::string record("\0\0\0\0\7", 5);
  record += static_cast<char>(2 * indexes.size());
  for (const int index : indexes) record += static_cast<char>(2 * index);
  return record + message;
}

std::vector<std::string> NotesTypes(std::span<const int32_t> indexes) {
  if (indexes.size() != 1) return {};
  if (indexes[0] == 0) return {"other.First"};
  if (indexes[0] == 1) return {std::string(scan_test::NoteColumns::plan().full_name)};
  if (indexes[0] == 2) return {"other.Third", std::string(scan_test::NoteColumns::plan().full_name)};
  return {};
}

TEST_F(ScanTest, ConfluentHeadersNameTheMessageType) {
  const std::string path = Write(
      "a", {WithIndexes({1}, NoteBytes("one")), WithIndexes({0}, NoteBytes("two")), WithIndexes({1, 0}, NoteBytes("three")),
            NoteBytes("four"), WithIndexes({2}, NoteBytes("five")), WithIndexes({}, NoteBytes("six"))});
  ScanOptions options = {.inputs = {path}, .confluent_headers = true};
  EXPECT_THAT(std::string(ScanAll(options).status.message()), HasSubstr("types_of_indexes is needed"));
  options.types_of_indexes = NotesTypes;
  EXPECT_THAT(std::string(ScanAll(options).status.message()),
              HasSubstr("record 1, byte 13: the message indexes [0] in its Confluent header name other.First; expected "));
  options.row_options.decode.on_error = DecodeOptions::OnError::kSkip;
  for (const int threads : {1, 3}) {
    options.row_options.threads = threads;
    for (const size_t batch_size : {1, 2, 100}) {
      options.batch_size = batch_size;
      const Scanned scanned = ScanAll(options);
      EXPECT_EQ(scanned.status, absl::OkStatus());
      EXPECT_THAT(scanned.strings, ElementsAre("one", "five"));
      EXPECT_THAT(scanned.broken, ElementsAre(HasSubstr("[0] in its Confluent header name other.First"),
                                              HasSubstr("[1, 0] in its Confluent header name no message type"),
                                              HasSubstr("does not begin with a Confluent header"),
                                              HasSubstr("[0] in its Confluent header name other.First")));
    }
  }
}

TEST_F(ScanTest, TheFirstConfluentHeaderChoosesTheType) {
  const std::string note(scan_test::NoteColumns::plan().full_name);
  const auto found = [&](const std::vector<std::string>& inputs) {
    const absl::StatusOr<std::string> name =
        FindConfluentMessage({.inputs = inputs, .confluent_headers = true, .types_of_indexes = NotesTypes});
    return name.ok() ? *name : std::string(name.status().message());
  };
  const std::string a = Write("a", {NoteBytes("no header"), WithIndexes({9}, ""), WithIndexes({1}, ""), WithIndexes({0}, "")});
  const std::string b = Write("b", {WithIndexes({0}, "")});
  const std::string none = Write("none", {});
  EXPECT_EQ(found({a}), note);
  EXPECT_EQ(found({none, a, b}), note);
  EXPECT_EQ(found({b, a}), "other.First");
  EXPECT_EQ(found({none}), "");
  EXPECT_EQ(found({"-"}), "");
  EXPECT_THAT(found({folder_ + "/missing"}), HasSubstr("missing"));
  EXPECT_THAT(found({Write("c", {WithIndexes({2}, "")})}), HasSubstr("name other.Third or " + note));
}

TEST_F(ScanTest, AMessageWithAConfluentHeaderSaysSo) {
  const std::string path = Write("a", {WithIndexes({1}, NoteBytes("one")), WithIndexes({1}, NoteBytes("two"))});
  EXPECT_THAT(std::string(ScanAll({.inputs = {path}}).status.message()),
              HasSubstr("it begins with a Confluent header: pass `confluent_headers`"));
}

}  // namespace
}  // namespace structtensor
