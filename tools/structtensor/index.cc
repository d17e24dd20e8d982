#include <cstdint>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/io/records/record_index.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::command {
namespace {

using convert_internal::CountText;
using convert_internal::SizeText;

absl::Status WriteIndex(const std::string& path, const std::string& bytes) {
  // Overwrites: an existing file of this name is an earlier index.
  const absl::StatusOr<std::unique_ptr<OutputFile>> output = OutputFile::Open(path, true);
  if (!output.ok()) return output.status();
  if (const absl::Status written = WriteAll((*output)->fd(), bytes); !written.ok()) {
    return absl::Status(written.code(), absl::StrCat(DisplayPath(path), ": ", written.message()));
  }
  return (*output)->Commit().status();
}

class IndexVerb : public Verb {
 public:
  explicit IndexVerb(CLI::App& app) {
    CLI::App* const verb = AddVerb(app, "index", "structtensor index recipes.pb",
                                   "Write an index next to each file so that parallel scans can split the file");
    input_.Declare(*verb, &options_);
    schema_.DeclareUnused(*verb);
    verb->add_option("--every", every_bytes_, "Minimum distance between split points")
        ->type_name("BYTES")
        ->transform(convert_internal::WholeNumber(1, INT64_MAX))
        ->capture_default_str();
    verb->add_flag("--json", json_, "Print a JSON document");
  }

  std::string Resolve() override { return input_.Resolve(&options_); }

  absl::StatusOr<int> Run() override {
    if (input_.from_columns()) {
      return absl::InvalidArgumentError("--from: only files of messages are indexed; Parquet and Arrow have their own index");
    }
    const absl::StatusOr<std::vector<std::string>> inputs = ExpandInputs(options_.inputs);
    if (!inputs.ok()) return inputs.status();
    Json files = Json::array();
    bool damaged = false;
    for (const std::string& input : *inputs) {
      std::string damage;
      const absl::StatusOr<RecordIndex> index = MakeRecordIndex(
          input, {.format = options_.format, .confluent_headers = options_.confluent_headers, .every_bytes = every_bytes_},
          &damage);
      if (!index.ok()) return index.status();
      const std::string path = RecordIndexPath(input);
      if (const absl::Status written = WriteIndex(path, SerializeRecordIndex(*index)); !written.ok()) return written;
      damaged = damaged || !damage.empty();
      const RecordMark& last = index->marks.back();
      files.push_back({{"file", DisplayPath(input)},
                       {"index", DisplayPath(path)},
                       {"format", RecordFormatName(index->format)},
                       {"messages", last.record_number},
                       {"indexed_bytes", last.byte_offset},
                       {"file_bytes", index->file_bytes},
                       {"places", index->marks.size()}});
      if (!damage.empty()) {
        std::cerr << "damaged: " << DisplayPath(input) << " " << damage << "; the file is not cut after byte "
                  << last.byte_offset << "\n";
      }
      if (!json_) {
        std::cout << CountText(last.record_number) << (last.record_number == 1 ? " message" : " messages") << " in "
                  << SizeText(last.byte_offset) << ", " << CountText(static_cast<int64_t>(index->marks.size()))
                  << (index->marks.size() == 1 ? " place" : " places") << "  " << DisplayPath(path) << "\n";
      }
    }
    if (json_) PrintJson("index", {{"files", std::move(files)}});
    return damaged ? convert_internal::kExitFailure : convert_internal::kExitOk;
  }

 private:
  ScanOptions options_;
  SchemaFlags schema_;
  convert_internal::InputFlags input_;
  int64_t every_bytes_ = RecordIndexOptions().every_bytes;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> AddIndex(CLI::App& app) { return std::make_unique<IndexVerb>(app); }

}  // namespace structtensor::command
