// The C++ of docs/generated_code.md and docs/cpp.md that needs the libraries of the component `converter`, compiled and run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recipe.structtensor.h"
#include "structtensor/app/scan/message_decoder.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/structtensor.h"

namespace {

using namespace std::string_view_literals;

absl::Status ToParquet(const std::string& input, const std::string& folder) {
  structtensor::ScanOptions options;
  options.inputs = {input};  // "-" is standard input
  options.row_options.decode.on_error = structtensor::DecodeOptions::OnError::kSkip;
  options.dead_letters = folder + "/broken.pb";  // keeps the messages that are skipped
  absl::StatusOr<std::unique_ptr<structtensor::Scan>> scan =
      structtensor::Scan::Create(cookbook::RecipeColumns::plan(), std::move(options));
  if (!scan.ok()) return scan.status();
  absl::StatusOr<std::unique_ptr<structtensor::OutputFile>> file =
      structtensor::OutputFile::Open(folder + "/recipes.parquet", /*overwrite=*/false);
  if (!file.ok()) return file.status();
  const structtensor::SinkOptions files =
      structtensor::WithMessage({.format = structtensor::SinkFormat::kParquet}, (*scan)->message(), (*scan)->empty().spec());
  absl::StatusOr<std::unique_ptr<structtensor::Sink>> sink =
      structtensor::Sink::Create(files, (*file)->fd(), (*scan)->empty().spec());
  if (!sink.ok()) return sink.status();
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more) {
    more = (*scan)->Next([&](const structtensor::ScanBatch& batch) { return (*sink)->Write(batch.rows); });
  }
  const absl::Status closed = (*scan)->Close();
  if (!more.ok()) return more.status();
  if (!closed.ok()) return closed;
  if (absl::Status finished = (*sink)->Finish(); !finished.ok()) return finished;
  return (*file)->Commit().status();
}

TEST(FileSnippets, FromAFileToParquet) {
  const std::string folder = ::testing::TempDir() + "/file_snippets";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string input = folder + "/recipes.pb";
  // title: "egg" minutes: 6, then a title that is not UTF-8.
  std::ofstream(input, std::ios::binary) << "\x07\x0a\x03"
                                            "egg\x10\x06\x04\x0a\x02\xff\xfe"sv;
  const absl::Status status = ToParquet(input, folder);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(std::filesystem::file_size(folder + "/recipes.parquet"), 100u);
  EXPECT_EQ(std::filesystem::file_size(folder + "/broken.pb"), 5u);
  EXPECT_EQ(ToParquet(input, folder).code(), absl::StatusCode::kAlreadyExists);
  const auto file = structtensor::ColumnFileReader::Open(folder + "/recipes.parquet");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->Metadata(structtensor::kMessageMetadataKey), "cookbook.Recipe");
  ASSERT_EQ((*file)->ids().size(), 4u);
  EXPECT_EQ((*file)->ids()[2].name, "ingredients");
  EXPECT_EQ((*file)->ids()[2].id, 3);
}

absl::StatusOr<structtensor::StructuredTensor> DecodedByName(const std::string& folder,
                                                             const std::vector<std::string_view>& messages) {
  absl::StatusOr<structtensor::Schema> schema = structtensor::Schema::FromProtoFiles({"recipe.proto"}, {folder});
  if (!schema.ok()) return schema.status();
  absl::StatusOr<std::shared_ptr<const structtensor::plan::MessagePlan>> plan = schema->PlanOf("Recipe");
  if (!plan.ok()) return plan.status();
  absl::StatusOr<structtensor::MessageDecoder> decoder = structtensor::MessageDecoder::Create(*plan, {.where = "minutes > 5"});
  if (!decoder.ok()) return decoder.status();
  return decoder->Decode(messages);
}

TEST(FileSnippets, ASchemaAtRunTime) {
  const auto rows = DecodedByName(STRUCTTENSOR_RECIPES, {"\x0a\x03"
                                                         "egg\x10\x06"sv,
                                                         "\x0a\x03"
                                                         "tea\x10\x03"sv});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(structtensor::ToJson(*rows->field_value("title")), R"(["egg"])");
}

absl::Status MessagesOf(const std::string& path, std::vector<std::string>& found) {
  absl::StatusOr<std::unique_ptr<structtensor::ColumnFileReader>> file = structtensor::ColumnFileReader::Open(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<structtensor::TensorEncoder> encoder = structtensor::TensorEncoder::Create(cookbook::RecipeColumns::plan());
  if (!encoder.ok()) return encoder.status();
  while (true) {
    absl::StatusOr<std::optional<structtensor::StructuredTensor>> rows = (*file)->Next();
    if (!rows.ok()) return rows.status();
    if (!rows->has_value()) return absl::OkStatus();
    absl::StatusOr<structtensor::EncodedBatch> messages = encoder->Encode(**rows);
    if (!messages.ok()) return messages.status();
    for (std::string_view message : *messages) found.emplace_back(message);
  }
}

TEST(FileSnippets, MessagesOfAParquetFile) {
  const std::string folder = ::testing::TempDir() + "/messages_of_parquet";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/recipes.pb", std::ios::binary) << "\x07\x0a\x03"
                                                             "egg\x10\x06"sv;
  ASSERT_TRUE(ToParquet(folder + "/recipes.pb", folder).ok());
  std::vector<std::string> found;
  const absl::Status status = MessagesOf(folder + "/recipes.parquet", found);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            "\x0a\x03"
            "egg\x10\x06");
}

TEST(FileSnippets, ColumnsThatAreNotFields) {
  structtensor::ScanOptions options;
  options.inputs = {"no such file"};
  options.row_options.selection.select = {"minutes"};
  options.filename_column = "title";  // which is not selected
  const auto scan = structtensor::Scan::Create(cookbook::RecipeColumns::plan(), std::move(options));
  ASSERT_TRUE(scan.ok()) << scan.status();
  const auto schema = (*scan)->empty().spec();
  structtensor::SinkOptions files = structtensor::WithMessage({}, (*scan)->message(), schema);
  files = structtensor::WithMessage(std::move(files), (*scan)->message(), schema, {"title"});
  EXPECT_EQ(files.metadata.size(), 1u);
  ASSERT_EQ(files.ids.size(), 1u);
  EXPECT_EQ(files.ids[0].name, "minutes");
}

}  // namespace
