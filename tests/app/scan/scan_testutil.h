// Files of notes, and scans of them.
#ifndef STRUCTTENSOR_TESTS_APP_SCAN_SCAN_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_APP_SCAN_SCAN_TESTUTIL_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "note.structtensor.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor {

inline std::string NoteBytes(const std::string& text) { return std::string("\x0a") + static_cast<char>(text.size()) + text; }

inline constexpr char kBroken[] = "\x0a\x05wo";  // ends in a text of five bytes

class ScanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "scan_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::vector<std::string>& messages) {
    std::string bytes;
    for (const std::string& message : messages) AppendRecord(RecordFormat::kDelimited, message, bytes);
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string WriteNotes(const std::string& name, const std::vector<std::string>& strings) {
    std::vector<std::string> messages;
    for (const std::string& text : strings) messages.push_back(NoteBytes(text));
    return Write(name, messages);
  }

  std::string folder_;
};

struct Scanned {
  std::vector<std::string> strings;
  std::vector<size_t> batches;  // rows of each
  std::vector<std::string> broken;
  std::vector<DamagedFile> damaged_files;
  absl::Status status;
};

inline Scanned ScanAll(ScanOptions options, const plan::MessagePlan& message = scan_test::NoteColumns::plan()) {
  Scanned scanned;
  options.on_broken_record = [&](const BrokenRecord& record) { scanned.broken.push_back(record.text); };
  absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(message, options);
  if (!scan.ok()) {
    scanned.status = scan.status();
    return scanned;
  }
  while (true) {
    const absl::StatusOr<bool> more = (*scan)->Next([&](const ScanBatch& batch) {
      const auto typed = TypedBatch<scan_test::NoteBatch>(batch.columns);
      if (!typed.ok()) return typed.status();
      const scan_test::NoteBatch& notes = *typed;
      for (const std::string_view text : notes.text()) scanned.strings.emplace_back(text);
      scanned.batches.push_back(static_cast<size_t>(batch.rows.nrows()));
      EXPECT_TRUE(batch.messages.empty() || batch.messages.size() == scanned.batches.back());
      return absl::OkStatus();
    });
    if (!more.ok()) scanned.status = more.status();
    if (!more.ok() || !*more) break;
  }
  scanned.damaged_files = (*scan)->damaged_files();
  EXPECT_EQ((*scan)->Close(), absl::OkStatus());
  return scanned;
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_APP_SCAN_SCAN_TESTUTIL_H_
