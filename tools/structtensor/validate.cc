#include <cstdint>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/encode/encoder.h"

namespace structtensor::command {
namespace {

using convert_internal::CountText;

class ValidateVerb : public Verb {
 public:
  explicit ValidateVerb(CLI::App& app) {
    CLI::App* const verb = AddVerb(app, "validate", "structtensor validate -p recipe.proto recipes.pb",
                                   "Decode and re-encode every message, and compare the result with the input");
    input_.Declare(*verb, &options_);
    convert_internal::DeclareOption(*verb, "rows", &options_);
    convert_internal::DeclareOption(*verb, "limit", &options_);
    verb->add_flag("--json", json_, "Print a JSON document");
    schema_.Declare(*verb);
    options_.row_options.decode.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  }

  std::string Resolve() override { return input_.Resolve(&options_); }

  absl::StatusOr<int> Run() override {
    options_.on_damaged_file = OnDamagedFile::kRest;  // as ScanEachRecord does
    const absl::StatusOr<MessageType> type = schema_.LoadMessage(json_, options_);
    if (!type.ok()) return type.status();
    const absl::StatusOr<MessageType> plain = Unannotated(*type, options_.inputs);
    if (!plain.ok()) return plain.status();
    const absl::StatusOr<MessageType> row_type = TypeOfRows(*plain, options_.rows);
    if (!row_type.ok()) return row_type.status();
    absl::StatusOr<BatchEncoder> encoder = BatchEncoder::Create(*row_type->plan, {});
    if (!encoder.ok()) return encoder.status();

    const absl::StatusOr<DamageFound> found =
        ScanEachRecord(*plain, options_, [&](const ScanBatch& batch) { return Compare(batch, *row_type, *encoder); });
    if (!found.ok()) return found.status();
    const int64_t equal = equal_bytes_ + equal_otherwise_;
    if (json_) {
      PrintJson("validate", {{"message", row_type->name},
                             {"messages", messages_},
                             {"equal", equal},
                             {"equal_bytes", equal_bytes_},
                             {"different", different_},
                             {"broken_records", found->broken_records},
                             {"damaged_files", DamagedFilesJson(found->damaged_files)}});
    } else {
      if (different_ > kListed) std::cerr << "different: … and " << CountText(different_ - kListed) << " more\n";
      std::cout << CountText(equal) << " of " << CountText(messages_) << (messages_ == 1 ? " message is" : " messages are")
                << " equal after decoding and encoding, " << CountText(equal_bytes_) << " byte for byte\n";
    }
    return equal == messages_ && found->damaged_files.empty() ? convert_internal::kExitOk : convert_internal::kExitFailure;
  }

 private:
  static constexpr int64_t kListed = 10;

  absl::Status Compare(const ScanBatch& batch, const MessageType& type, BatchEncoder& encoder) {
    const absl::StatusOr<EncodedBatch> encoded = encoder.Encode(batch.columns.tree());
    if (!encoded.ok()) return encoded.status();
    for (size_t i = 0; i < encoded->size(); ++i, ++messages_) {
      if (batch.broken[i] != 0) continue;
      if ((*encoded)[i] == batch.messages[i]) {
        ++equal_bytes_;
        continue;
      }
      const absl::StatusOr<std::string> difference =
          type.schema.DifferenceOfMessages(type.name, batch.messages[i], (*encoded)[i]);
      if (difference.ok() && difference->empty()) {
        ++equal_otherwise_;
      } else if (++different_ <= kListed) {
        std::cerr << "different: message " << messages_ << ": "
                  << (difference.ok() ? *difference : std::string(difference.status().message())) << "\n";
      }
    }
    return absl::OkStatus();
  }

  ScanOptions options_;
  bool json_ = false;
  int64_t messages_ = 0;
  int64_t equal_bytes_ = 0;
  int64_t equal_otherwise_ = 0;
  int64_t different_ = 0;
  convert_internal::InputFlags input_;
  SchemaFlags schema_;
};

}  // namespace

std::unique_ptr<Verb> AddValidate(CLI::App& app) { return std::make_unique<ValidateVerb>(app); }

}  // namespace structtensor::command
