#include "structtensor/app/scan/shared/option_table.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/decode/shared/check_options.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::scan_internal {
namespace {

// --- Members of ScanOptions

template <auto kFirst, auto... kRest, typename Struct>
constexpr auto& MemberOf(Struct& options) {
  if constexpr (sizeof...(kRest) == 0) {
    return options.*kFirst;
  } else {
    return MemberOf<kRest...>(options.*kFirst);
  }
}

template <auto... kPath>
constexpr OptionAccess Access() {
  using Value = std::remove_cvref_t<decltype(MemberOf<kPath...>(std::declval<ScanOptions&>()))>;
  if constexpr (std::is_same_v<Value, std::string>) {
    return {.text = [](ScanOptions& options) -> std::string& { return MemberOf<kPath...>(options); }};
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    return {.list = [](ScanOptions& options) -> std::vector<std::string>& { return MemberOf<kPath...>(options); }};
  } else {
    return {.get = [](const ScanOptions& options) { return static_cast<uint64_t>(MemberOf<kPath...>(options)); },
            .set = [](ScanOptions& options, uint64_t value) { MemberOf<kPath...>(options) = static_cast<Value>(value); }};
  }
}

// A member of RowOptions.
template <auto... kPath>
constexpr OptionAccess RowAccess() {
  return Access<&ScanOptions::row_options, kPath...>();
}
template <auto kMember>
constexpr OptionAccess DecodeAccess() {
  return RowAccess<&RowOptions::decode, kMember>();
}
template <auto kMember>
constexpr OptionAccess TensorAccess() {
  return RowAccess<&RowOptions::tensor, kMember>();
}

// A format by its index; the one after the last is none.
constexpr OptionAccess kFormatAccess = {
    .get =
        [](const ScanOptions& options) {
          const auto formats = RecordFormats();
          return static_cast<uint64_t>(options.format.has_value()
                                           ? std::find(formats.begin(), formats.end(), *options.format) - formats.begin()
                                           : std::ssize(formats));
        },
    .set = [](ScanOptions& options, uint64_t value) { options.format = RecordFormats()[value]; }};

// --- Values

constexpr OptionWord kOnError[] = {
    {"fail", "stop with an error"},
    {"skip", "leave the message out"},
    {"null", "make a row in which every field is absent", /*in_tensorflow=*/false},
};
constexpr OptionWord kOnDamagedFile[] = {
    {"fail", "stop with an error"},
    {"rest", "leave out the rest of the file"},
    {"skip", "leave out the whole file, which means to read each file twice"},
};
constexpr OptionWord kOptionals[] = {
    {"ragged", "an axis of 0 or 1 values"},
    {"nullable", "a value, or absent", /*in_tensorflow=*/false},
    {"default", "the declared default if absent"},
};
constexpr OptionWord kWellKnownTypes[] = {
    {"native", "times, durations and nullable values"},
    {"structs", "messages like all others"},
};
constexpr OptionWord kEnums[] = {
    {"numbers", "as in the messages"},
    {"names", "text, or digits for a number without a name"},
    {"dictionary", "the same; in Arrow, pandas and Parquet a dictionary of the names"},
};
constexpr OptionWord kUnits[] = {{"s", ""}, {"ms", ""}, {"us", ""}, {"ns", ""}};
constexpr OptionWord kUnknownFields[] = {{"drop", "leave them out"}, {"keep", "in a bytes column of each message type"}};

std::string_view HelpOfFormat(RecordFormat format) {
  switch (format) {
    case RecordFormat::kDelimited:
      return "each message after its length, a varint";
    case RecordFormat::kTfRecord:
      return "TFRecord files";
    case RecordFormat::kMessage:
      return "one message in each file";
    case RecordFormat::kLength32BigEndian:
      return "each after its length of 32 bits, big-endian";
    case RecordFormat::kLength32LittleEndian:
      return "the same, little-endian";
    case RecordFormat::kGrpc:
      return "gRPC frames";
    case RecordFormat::kBase64:
    case RecordFormat::kHex:
      return "a line for each message";
    case RecordFormat::kJson:
      return "protobuf's JSON";
    case RecordFormat::kTextproto:
      return "protobuf's text format, with lines --- between messages";
    case RecordFormat::kCsv:
      return "fields by their paths in a header";
  }
  return "";
}

std::span<const OptionWord> Formats() {
  static const std::vector<OptionWord> kFormats = [] {
    std::vector<OptionWord> words;
    for (const RecordFormat format : RecordFormats()) words.push_back({RecordFormatName(format), HelpOfFormat(format)});
    return words;
  }();
  return kFormats;
}

constexpr uint64_t kAny64 = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kAny63 = std::numeric_limits<int64_t>::max();
constexpr uint64_t kAny32 = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kUnlimited = kAny64;  // -1

// --- The list

const std::vector<Option>& List() {
  using enum OptionGroup;
  using enum OptionType;
  using Decode = DecodeOptions;
  static const std::vector<Option> kOptions = {
      {.name = "format",
       .flag = "--from",
       .keyword = "format",
       .spark = "record_format",
       .member = "format",
       .group = kInputs,
       .type = kWord,
       .access = kFormatAccess,
       .help = "How files hold messages",
       .words = Formats(),
       .default_help = "by the name of each file, else by its first bytes"},
      {.name = "confluent_headers",
       .flag = "--confluent",
       .keyword = "confluent",
       .spark = "confluent",
       .member = "confluent_headers",
       .group = kInputs,
       .type = kFlag,
       .access = Access<&ScanOptions::confluent_headers>(),
       .help = "Read the Confluent header at the start of each message"},
      {.name = "ignore_extra_fields",
       .flag = "--ignore-extra-fields",
       .keyword = "ignore_extra_fields",
       .spark = "ignore_extra_fields",
       .member = "json.ignore_extra_fields",
       .group = kInputs,
       .type = kFlag,
       .access = Access<&ScanOptions::json, &MessageJsonOptions::ignore_extra_fields>(),
       .help = "Ignore unknown names in text formats and column files",
       .in_decoders = true},
      {.name = "rows",
       .flag = "--rows",
       .keyword = "rows",
       .spark = "rows",
       .member = "rows",
       .group = kNestedRows,
       .type = kText,
       .access = Access<&ScanOptions::rows>(),
       .help = "Path of the repeated message field whose elements become the rows",
       .value_name = "PATH",
       .default_help = "a row for each message of the inputs"},
      {.name = "where",
       .flag = "--where",
       .keyword = "where",
       .spark = "where",
       .member = "row_options.where",
       .group = kRecords,
       .type = kText,
       .access = RowAccess<&RowOptions::where>(),
       .help = "SQL condition for rows: minutes > 10 AND any(ingredients.name) = 'egg'",
       .value_name = "CONDITION",
       .in_decoders = true,
       .in_tensorflow = true,
       .default_help = "all rows"},
      {.name = "skip",
       .flag = "--skip",
       .keyword = "skip",
       .spark = "",
       .member = "skip",
       .group = kRecords,
       .type = kNumber,
       .access = Access<&ScanOptions::skip>(),
       .help = "Number of records to skip first, including broken ones",
       .value_name = "N",
       .greatest = kAny63},
      {.name = "limit",
       .flag = "--limit",
       .keyword = "limit",
       .spark = "",
       .member = "limit",
       .group = kRecords,
       .type = kNumber,
       .access = Access<&ScanOptions::limit>(),
       .help = "Maximum number of records to read, including broken ones",
       .value_name = "N",
       .greatest = kAny63,
       .none = kUnlimited,
       .default_help = "all records"},
      {.name = "on_error",
       .flag = "--on-error",
       .keyword = "on_error",
       .spark = "on_error",
       .member = "row_options.decode.on_error",
       .group = kRecords,
       .type = kWord,
       .access = DecodeAccess<&Decode::on_error>(),
       .help = "How to handle a broken message",
       .words = kOnError,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "max_errors",
       .flag = "--max-errors",
       .keyword = "max_errors",
       .spark = "max_errors",
       .member = "row_options.decode.max_errors",
       .group = kRecords,
       .type = kNumber,
       .access = DecodeAccess<&Decode::max_errors>(),
       .help = "Number of skipped or null messages to allow before the run fails",
       .value_name = "N",
       .greatest = kAny63,
       .none = kUnlimited,
       .in_decoders = true,
       .in_tensorflow = true,
       .default_help = "any number is allowed"},
      {.name = "on_damaged_file",
       .flag = "--on-damaged-file",
       .keyword = "on_damaged_file",
       .spark = "on_damaged_file",
       .member = "on_damaged_file",
       .group = kRecords,
       .type = kWord,
       .access = Access<&ScanOptions::on_damaged_file>(),
       .help = "How to handle a truncated or corrupt file",
       .words = kOnDamagedFile},
      {.name = "dead_letters",
       .flag = "--dead-letters",
       .keyword = "dead_letters",
       .spark = "",
       .member = "dead_letters",
       .group = kRecords,
       .type = kText,
       .access = Access<&ScanOptions::dead_letters>(),
       .help = "Local file for broken messages; FILE.jsonl lists the errors",
       .value_name = "FILE"},
      {.name = "allow_missing_required",
       .flag = "--allow-missing-required",
       .keyword = "allow_missing_required",
       .spark = "allow_missing_required",
       .member = "row_options.decode.allow_missing_required",
       .group = kRecords,
       .type = kFlag,
       .access = DecodeAccess<&Decode::allow_missing_required>(),
       .help = "Accept messages that lack a required field",
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "select",
       .flag = "--select",
       .keyword = "select",
       .spark = "select",
       .member = "row_options.selection.select",
       .group = kColumns,
       .type = kPatterns,
       .access = RowAccess<&RowOptions::selection, &Selection::select>(),
       .help = "Fields to read, with their subfields: address.city, labels[\"env\"], /_id$/",
       .value_name = "PATTERN",
       .in_decoders = true,
       .in_tensorflow = true,
       .default_help = "all fields"},
      {.name = "drop",
       .flag = "--drop",
       .keyword = "drop",
       .spark = "drop",
       .member = "row_options.selection.drop",
       .group = kColumns,
       .type = kPatterns,
       .access = RowAccess<&RowOptions::selection, &Selection::drop>(),
       .help = "Fields to leave out, with their subfields",
       .value_name = "PATTERN",
       .in_decoders = true,
       .in_tensorflow = true,
       .default_help = "none"},
      {.name = "filename_column",
       .flag = "--with-filename",
       .keyword = "",
       .spark = "",
       .member = "filename_column",
       .group = kColumns,
       .type = kText,
       .access = Access<&ScanOptions::filename_column>(),
       .help = "Add a first column with the file of each message",
       .value_name = "NAME",
       .alone = "filename"},
      {.name = "offset_column",
       .flag = "--with-offset",
       .keyword = "",
       .spark = "",
       .member = "offset_column",
       .group = kColumns,
       .type = kText,
       .access = Access<&ScanOptions::offset_column>(),
       .help = "Add a first column with the byte offset of each message in its file",
       .value_name = "NAME",
       .alone = "offset"},
      {.name = "optionals",
       .flag = "",
       .keyword = "optionals",
       .spark = "optionals",
       .member = "row_options.tensor.optionals",
       .group = kColumns,
       .type = kWord,
       .access = TensorAccess<&TensorOptions::optionals>(),
       .help = "How to represent optional fields and messages",
       .words = kOptionals,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "unknown_fields",
       .flag = "--unknown-fields",
       .keyword = "unknown_fields",
       .spark = "unknown_fields",
       .member = "row_options.decode.unknown_fields",
       .group = kColumns,
       .type = kFlag,
       .access = DecodeAccess<&Decode::unknown_fields>(),
       .help = "Keep fields that are not in the schema, in a bytes column",
       .words = kUnknownFields,
       .in_decoders = true},
      {.name = "well_known_types",
       .flag = "--well-known",
       .keyword = "well_known_types",
       .spark = "well_known_types",
       .member = "row_options.tensor.well_known_types",
       .group = kColumns,
       .type = kWord,
       .access = TensorAccess<&TensorOptions::well_known_types>(),
       .help = "How to represent Timestamp, Duration and wrapper types",
       .words = kWellKnownTypes,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "enums",
       .flag = "--enums",
       .keyword = "enums",
       .spark = "enums",
       .member = "row_options.tensor.enums",
       .group = kColumns,
       .type = kWord,
       .access = TensorAccess<&TensorOptions::enums>(),
       .help = "How to represent enums, and which field of a oneof is set",
       .words = kEnums,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "timestamps",
       .flag = "--timestamps",
       .keyword = "timestamps",
       .spark = "",
       .member = "row_options.tensor.timestamps",
       .group = kColumns,
       .type = kWord,
       .access = TensorAccess<&TensorOptions::timestamps>(),
       .help = "Unit of native timestamps and durations; finer digits are cut off",
       .words = kUnits,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "recursion_depth",
       .flag = "--recursion-depth",
       .keyword = "recursion_depth",
       .spark = "recursion_depth",
       .member = "row_options.decode.recursion_depth",
       .group = kColumns,
       .type = kNumber,
       .access = DecodeAccess<&Decode::recursion_depth>(),
       .help = "Levels of a recursive message type; deeper messages are kept as bytes",
       .value_name = "N",
       .least = 1,
       .greatest = Decode::kGreatestRecursionDepth,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "threads",
       .flag = "",
       .keyword = "threads",
       .spark = "threads",
       .member = "row_options.threads",
       .group = kBatches,
       .type = kNumber,
       .access = RowAccess<&RowOptions::threads>(),
       .help = "Number of decoding threads",
       .least = 1,
       .greatest = RowOptions::kGreatestThreads,
       .in_decoders = true},
      {.name = "batch_size",
       .flag = "--batch-size",
       .keyword = "batch_size",
       .spark = "batch_size",
       .member = "batch_size",
       .group = kBatches,
       .type = kNumber,
       .access = Access<&ScanOptions::batch_size>(),
       .help = "Maximum number of messages in a batch",
       .value_name = "N",
       .least = 1,
       .greatest = ScanOptions::kGreatestBatchSize},
      {.name = "batch_bytes",
       .flag = "",
       .keyword = "batch_bytes",
       .spark = "batch_bytes",
       .member = "batch_bytes",
       .group = kBatches,
       .type = kNumber,
       .access = Access<&ScanOptions::batch_bytes>(),
       .help = "Maximum size of a batch, in bytes; a longer message is a batch of its own",
       .least = 1,
       .greatest = kAny63},
      {.name = "max_message_bytes",
       .flag = "--max-message-bytes",
       .keyword = "max_message_bytes",
       .spark = "max_message_bytes",
       .member = "row_options.decode.max_message_bytes",
       .group = kLimits,
       .type = kNumber,
       .access = DecodeAccess<&Decode::max_message_bytes>(),
       .help = "Maximum size of one message",
       .value_name = "BYTES",
       .least = 1,
       .greatest = Decode::kGreatestMaxMessageBytes,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "max_depth",
       .flag = "--max-depth",
       .keyword = "max_depth",
       .spark = "max_depth",
       .member = "row_options.decode.max_depth",
       .group = kLimits,
       .type = kNumber,
       .access = DecodeAccess<&Decode::max_depth>(),
       .help = "Maximum nesting depth of a message",
       .value_name = "N",
       .greatest = Decode::kGreatestMaxDepth,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "max_rows",
       .flag = "--max-rows",
       .keyword = "max_rows",
       .spark = "max_rows",
       .member = "row_options.decode.max_rows",
       .group = kLimits,
       .type = kNumber,
       .access = DecodeAccess<&Decode::max_rows>(),
       .help = "Maximum number of rows of a batch, or of one repeated message field in it",
       .value_name = "N",
       .greatest = Decode::kGreatestMaxRows,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "max_cells",
       .flag = "--max-cells",
       .keyword = "max_cells",
       .spark = "max_cells",
       .member = "row_options.decode.max_cells",
       .group = kLimits,
       .type = kNumber,
       .access = DecodeAccess<&Decode::max_cells>(),
       .help = "Maximum number of elements times fields, for one repeated message field",
       .value_name = "N",
       .greatest = kAny64,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "max_memory_bytes",
       .flag = "--max-memory-bytes",
       .keyword = "max_memory_bytes",
       .spark = "max_memory_bytes",
       .member = "row_options.decode.max_memory_bytes",
       .group = kLimits,
       .type = kNumber,
       .access = DecodeAccess<&Decode::max_memory_bytes>(),
       .help = "Maximum memory for the columns of a batch",
       .value_name = "BYTES",
       .greatest = kAny64,
       .in_decoders = true,
       .in_tensorflow = true},
      {.name = "max_paths",
       .flag = "--max-paths",
       .keyword = "max_paths",
       .spark = "max_paths",
       .member = "row_options.decode.max_paths",
       .group = kLimits,
       .type = kNumber,
       .access = DecodeAccess<&Decode::max_paths>(),
       .help = "Maximum number of different paths of message fields in a batch",
       .value_name = "N",
       .greatest = kAny32,
       .in_decoders = true,
       .in_tensorflow = true},
  };
  return kOptions;
}

// Options that messages name and that are not members of ScanOptions: of the schema, and of what is written.
struct OtherName {
  std::string_view name;
  std::string_view flag;
  std::string_view keyword;
};
constexpr OtherName kOtherNames[] = {
    {"compression", "--compression", "compression"},
    {"compression_level", "--compression-level", "compression_level"},
    {"message", "--message", "message"},
    {"overwrite", "--overwrite", "overwrite"},
    {"partition_by", "--partition-by", "partition_by"},
};

std::string_view OtherNameIn(Face face, std::string_view name) {
  for (const OtherName& other : kOtherNames) {
    if (other.name == name) return face == Face::kCommand ? other.flag : other.keyword;
  }
  return "";
}

absl::Status Unexpected(const Option& option, std::string_view value, std::string_view expected) {
  return base_internal::UnexpectedOption(option.name, value, expected);
}

std::string RangeText(const Option& option) {
  if (option.greatest < kAny63) return absl::StrCat(option.least, " to ", option.greatest);
  return absl::StrCat(option.least, " or more", option.none.has_value() ? ", or nothing for no limit" : "");
}

template <typename Number>
absl::Status CheckInRange(const Option& option, Number number) {
  if (std::cmp_greater_equal(number, option.least) && std::cmp_less_equal(number, option.greatest)) return absl::OkStatus();
  return Unexpected(option, std::to_string(number), RangeText(option));
}

template <typename Number>
absl::Status CheckNumber(std::string_view name, Number number) {
  return CheckInRange(*FindOption(name), number);
}

bool IsPython(Face face) { return face == Face::kPython || face == Face::kTensorFlow; }

// An option as the face writes it, with its value if it has one; nothing for names of no option. `next`: what follows.
std::optional<std::string> Shown(Face face, std::string_view name, const std::optional<std::string>& value,
                                 std::string_view next) {
  const Option* const option = FindOption(name);
  std::string shown(option != nullptr ? NameIn(face, *option) : OtherNameIn(face, name));
  // An option that the face does not have keeps its name in the library.
  if (shown.empty() && option != nullptr) shown = name;
  if (shown.empty()) return std::nullopt;
  if (!value.has_value()) return IsPython(face) && !next.starts_with(':') ? shown + "=" : shown;
  if (option != nullptr && option->type == OptionType::kFlag && option->words.empty()) {
    if (face == Face::kCommand) return shown;
    return absl::StrCat(shown, "=", IsPython(face) ? *value == "true" ? "True" : "False" : *value);
  }
  const bool quoted = IsPython(face) && (option == nullptr || option->type != OptionType::kNumber);
  return absl::StrCat(shown, "=", quoted ? "\"" : "", *value, quoted ? "\"" : "");
}

// An error about a value that a user has written. It is shown unchanged, so it is not in backquotes.
absl::Status UnexpectedText(Face face, const Option& option, std::string_view text, std::string_view expected) {
  const std::optional<std::string> shown = Shown(face, option.name, std::string(Shortened(text)), ":");
  return absl::InvalidArgumentError(absl::StrCat(*shown, ": expected ", ToAbsl(expected)));
}

// The number, if the text is a number and nothing else.
template <typename Number>
std::optional<Number> NumberOf(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

bool IsWordOf(Face face, const OptionWord& word) { return face != Face::kTensorFlow || word.in_tensorflow; }

}  // namespace

std::span<const Option> Options() { return List(); }

std::string_view NameIn(Face face, const Option& option) {
  switch (face) {
    case Face::kCommand:
      return option.flag;
    case Face::kPython:
      return option.keyword;
    case Face::kTensorFlow:
      return option.in_tensorflow ? option.keyword : "";
    case Face::kSpark:
      return option.spark;
  }
  return "";
}

const Option* FindOption(std::string_view name) {
  const auto found = std::ranges::find(List(), name, &Option::name);
  return found == List().end() ? nullptr : &*found;
}

const Option* FindOption(Face face, std::string_view name) {
  const auto found = std::ranges::find_if(
      List(), [face, name](const Option& option) { return !name.empty() && NameIn(face, option) == name; });
  return found == List().end() ? nullptr : &*found;
}

ScanOptions DefaultsIn(Face face) {
  ScanOptions options;
  options.row_options.decode.recursion_depth = 1;
  options.row_options.tensor.optionals = face == Face::kTensorFlow ? Optionals::kRagged : Optionals::kNullable;
  return options;
}

std::string DefaultText(Face face, const Option& option) {
  if (option.access.get == nullptr) return "";
  const uint64_t value = option.access.get(DefaultsIn(face));
  switch (option.type) {
    case OptionType::kFlag:
      if (face == Face::kCommand && !option.words.empty()) return std::string(option.words[value].name);
      if (face == Face::kPython || face == Face::kTensorFlow) return value != 0 ? "True" : "False";
      return value != 0 ? "true" : "false";
    case OptionType::kNumber:
      return value == option.none ? "" : absl::StrCat(value);
    case OptionType::kWord:
      return value < option.words.size() ? std::string(option.words[value].name) : "";
    case OptionType::kText:
    case OptionType::kPatterns:
      break;
  }
  return "";
}

std::string HelpText(Face face, const Option& option) {
  std::string help = WithOptionNames(face, option.help);
  if (face == Face::kCommand) return help;
  const char* const quote = face == Face::kPython ? "\"" : "";
  const char* separator = ". ";
  for (const OptionWord& word : option.words) {
    if (word.help.empty() || !IsWordOf(face, word) || option.type == OptionType::kFlag) continue;
    absl::StrAppend(&help, separator, quote, ToAbsl(word.name), quote, ": ", ToAbsl(word.help));
    separator = "; ";
  }
  return help;
}

absl::Status SetNumber(const Option& option, std::variant<int64_t, uint64_t> value, ScanOptions& options) {
  return std::visit(
      [&](auto number) -> absl::Status {
        STRUCTTENSOR_RETURN_IF_ERROR(CheckInRange(option, number));
        option.access.set(options, static_cast<uint64_t>(number));
        return absl::OkStatus();
      },
      value);
}

absl::Status SetWord(Face face, const Option& option, std::string_view word, ScanOptions& options) {
  std::vector<std::string> expected;
  for (size_t i = 0; i < option.words.size(); ++i) {
    if (!IsWordOf(face, option.words[i])) continue;
    if (option.words[i].name == word) {
      option.access.set(options, i);
      return absl::OkStatus();
    }
    expected.emplace_back(option.words[i].name);
  }
  return UnexpectedText(face, option, word, absl::StrCat("one of ", absl::StrJoin(expected, ", ")));
}

absl::Status SetText(Face face, const Option& option, std::string_view text, ScanOptions& options) {
  switch (option.type) {
    case OptionType::kFlag:
      if (face == Face::kCommand && !option.words.empty()) return SetWord(face, option, text, options);
      if (text != "false" && text != "true") return UnexpectedText(face, option, text, "true or false");
      option.access.set(options, text == "true" ? 1 : 0);
      return absl::OkStatus();
    case OptionType::kNumber: {
      if (const auto number = NumberOf<int64_t>(text)) return SetNumber(option, *number, options);
      if (const auto number = NumberOf<uint64_t>(text)) return SetNumber(option, *number, options);
      return UnexpectedText(face, option, text, RangeText(option));
    }
    case OptionType::kWord:
      return SetWord(face, option, text, options);
    case OptionType::kText:
      option.access.text(options) = text;
      return absl::OkStatus();
    case OptionType::kPatterns:
      option.access.list(options).emplace_back(text);
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status CheckRowOptions(const RowOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNumber("threads", options.threads));
  if (!options.selection.empty() && !options.decode.fields.empty()) {
    return absl::InvalidArgumentError("RowOptions::selection and decode.fields are both set; leave one empty");
  }
  return decode_internal::CheckOptions(options.decode);
}

absl::Status CheckScanOptions(const ScanOptions& options) {
  if (options.inputs.empty()) return absl::InvalidArgumentError("there are no inputs; name a file, or - for standard input");
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNumber("batch_size", options.batch_size));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNumber("batch_bytes", options.batch_bytes));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNumber("skip", options.skip));
  if (options.limit < -1) {
    return base_internal::UnexpectedOption("limit", std::to_string(options.limit), "0 or more, or -1 for all records");
  }
  STRUCTTENSOR_RETURN_IF_ERROR(base_internal::CheckEnum("on_damaged_file", options.on_damaged_file, OnDamagedFile::kSkip,
                                                        "kFail (0), kRest (1) or kSkip (2)"));
  // Dead letters are kept however the process ends, but a remote file exists only when it is complete.
  if (IsRemotePath(options.dead_letters)) {
    return absl::InvalidArgumentError(
        absl::StrCat("`dead_letters`: ", DisplayPath(options.dead_letters),
                     ": dead letters are written one by one, and a remote file only as a whole; name a local file"));
  }
  if (options.confluent_headers && options.types_of_indexes == nullptr) {
    return absl::InvalidArgumentError(
        "ScanOptions::types_of_indexes is needed to check Confluent headers, and is not set; Schema::TypesOfIndexes() returns "
        "it (converters of one message type do not have the schema: use structtensor convert)");
  }
  return CheckRowOptions(options.row_options);
}

std::string WithOptionNames(Face face, std::string_view text) {
  // After a line break comes an excerpt of the user's input, which may contain backquotes.
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string result = base_internal::WithOptionNames(
      line,
      [face](std::string_view name, const std::optional<std::string>& value,
             std::string_view next) -> std::optional<std::string> { return Shown(face, name, value, next); });
  return result + std::string(text.substr(line.size()));
}

}  // namespace structtensor::scan_internal
