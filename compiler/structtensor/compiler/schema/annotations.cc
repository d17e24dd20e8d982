#include "structtensor/compiler/schema/annotations.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/unknown_field_set.h"
#include "structtensor/core/wire/abi/utf8.h"

namespace structtensor::schema {
namespace {

namespace pb = ::google::protobuf;
using Options = ::structtensor::option_messages::FieldOptions;
using OptionalAs = plan::FieldAnnotations::OptionalAs;
using Timestamps = plan::FieldAnnotations::Timestamps;
using EnumAs = plan::FieldAnnotations::EnumAs;

constexpr int kMaxRecursionDepth = 10;
constexpr int kMaxFixedSize = 65536;
constexpr int kMaxFlattened = 100;      // messages inside each other
constexpr size_t kMaxNameBytes = 1000;  // of a name or prefix
// Limits for all flattened messages together. Prefixes of messages inside each other add up.
constexpr size_t kMaxColumns = 1'000'000;
constexpr size_t kMaxColumnNameBytes = size_t{256} << 20;

// --- The options of descriptors; nothing if there are none

// Whether the extension with our number, in options of this type, is structtensor's own.
bool IsOurs(const pb::DescriptorPool& pool, const char* options_type) {
  const pb::Descriptor* const extended = pool.FindMessageTypeByName(options_type);
  const pb::FieldDescriptor* const extension =
      extended == nullptr ? nullptr : pool.FindExtensionByNumber(extended, kAnnotationsNumber);
  return extension != nullptr && IsOfAnnotations(*extension);
}

template <typename Descriptor>
std::optional<Options> OptionsOf(const Descriptor& descriptor, const char* options_type) {
  const pb::Message& options = descriptor.options();
  if (&options == &std::decay_t<decltype(descriptor.options())>::default_instance()) return std::nullopt;
  std::optional<Options> annotations = AnnotationsIn(options);
  if (annotations.has_value() && !IsOurs(*descriptor.file()->pool(), options_type)) return std::nullopt;
  return annotations;
}

std::optional<Options> OptionsOf(const pb::FieldDescriptor& field) { return OptionsOf(field, "google.protobuf.FieldOptions"); }
std::optional<Options> OptionsOf(const pb::Descriptor& message) { return OptionsOf(message, "google.protobuf.MessageOptions"); }
std::optional<Options> OptionsOf(const pb::EnumDescriptor& enumeration) {
  return OptionsOf(enumeration, "google.protobuf.EnumOptions");
}

bool IsInMapEntry(const pb::FieldDescriptor& field) { return field.containing_type()->options().map_entry(); }

std::optional<Options> OptionsOfType(const pb::FieldDescriptor& field) {
  // The values of a map get the annotations of the map field.
  if (IsInMapEntry(field)) return std::nullopt;
  const pb::FieldDescriptor& value = field.is_map() ? *field.message_type()->field(1) : field;
  if (value.message_type() != nullptr) return OptionsOf(*value.message_type());
  return value.enum_type() != nullptr ? OptionsOf(*value.enum_type()) : std::nullopt;
}

template <typename Descriptor>
std::string LocationOf(const Descriptor& descriptor) {
  const std::string file(descriptor.file()->name());
  pb::SourceLocation location;
  if (!descriptor.GetSourceLocation(&location)) return file;
  return absl::StrCat(file, ":", location.start_line + 1, ":", location.start_column + 1);
}

// --- What is wrong with the annotations of one field or type

template <typename Descriptor>
class Judge {
 public:
  Judge(const Descriptor& descriptor, const Options& options, std::vector<Problem>& problems)
      : descriptor_(descriptor), options_(options), problems_(problems) {}

  void Say(std::string text, int option = 0) {
    problems_.push_back({std::string(descriptor_.full_name()), LocationOf(descriptor_), std::move(text), option});
  }
  void SayIf(bool wrong, const char* text, int option) {
    if (wrong) Say(text, option);
  }

  // The checks that fields and types share.
  void CheckValues() {
    SayIf(!options_.unknown_fields().empty(), "its annotations have options that this version of structtensor does not know",
          0);
    SayIf(options_.has_recursion_depth() && (options_.recursion_depth() < 1 || options_.recursion_depth() > kMaxRecursionDepth),
          "recursion_depth is a number from 1 to 10", Options::kRecursionDepthFieldNumber);
    SayIf(options_.fixed_size() < 0 || options_.fixed_size() > kMaxFixedSize,
          "fixed_size is a number from 1 to 65536, or 0 for any size", Options::kFixedSizeFieldNumber);
  }

  void CheckType(bool is_time, bool is_enum) {
    CheckValues();
    SayIf(options_.has_timestamps() && !is_time, "timestamps is for Timestamp and Duration; take it out",
          Options::kTimestampsFieldNumber);
    SayIf(options_.has_enum_as() && !is_enum, "enum_as is for enums; take it out", Options::kEnumAsFieldNumber);
    SayIf(options_.has_recursion_depth() && is_enum, "recursion_depth is for messages; take it out",
          Options::kRecursionDepthFieldNumber);
    SayIf(options_.has_name() || options_.has_bytes_as() || options_.has_flatten() || options_.has_prefix() ||
              options_.has_fixed_size(),
          "name, bytes_as, fixed_size, flatten and prefix are for single fields, not for a type; annotate the fields", 0);
  }

  void CheckField(const FieldSchema& field, const FieldSchema& value) {
    CheckValues();
    const bool is_time = value.message != nullptr && (value.message->well_known == plan::WellKnown::kTimestamp ||
                                                      value.message->well_known == plan::WellKnown::kDuration);
    SayIf(options_.has_name() && options_.name().empty(), "name is empty; every column needs a name",
          Options::kNameFieldNumber);
    SayIf((options_.name() + options_.prefix()).find('\0') != std::string::npos,
          "name and prefix are without zero bytes, where names of columns would end; take them out", NameOrPrefix());
    SayIf(!IsUtf8(options_.name()) || !IsUtf8(options_.prefix()), "name and prefix are UTF-8, as names of columns are",
          NameOrPrefix());
    SayIf(options_.name().size() > kMaxNameBytes || options_.prefix().size() > kMaxNameBytes,
          "name and prefix have at most 1000 bytes; shorten them", NameOrPrefix());
    SayIf(options_.has_timestamps() && !is_time, "timestamps is for fields of type Timestamp and Duration; take it out",
          Options::kTimestampsFieldNumber);
    SayIf(options_.has_enum_as() && value.enumeration == nullptr, "enum_as is for fields whose type is an enum; take it out",
          Options::kEnumAsFieldNumber);
    SayIf(options_.has_bytes_as() && value.kind != plan::Kind::kBytes, "bytes_as is for fields of type bytes; take it out",
          Options::kBytesAsFieldNumber);
    SayIf(options_.bytes_as() == Options::UTF8 && HasBytesBeyondAscii(value.default_text),
          "bytes_as: UTF8 needs a default of ASCII characters; leave it out, or change the default",
          Options::kBytesAsFieldNumber);
    SayIf(options_.has_fixed_size() && value.kind != plan::Kind::kBytes, "fixed_size is for fields of type bytes; take it out",
          Options::kFixedSizeFieldNumber);
    SayIf(options_.fixed_size() != 0 && options_.bytes_as() == Options::UTF8,
          "fixed_size is for bytes, which bytes_as: UTF8 makes a string of; take one of them out",
          Options::kFixedSizeFieldNumber);
    SayIf(options_.fixed_size() != 0 && options_.optional_as() == Options::DEFAULT &&
              value.default_text.size() != static_cast<size_t>(options_.fixed_size()),
          "fixed_size with optional_as: DEFAULT needs a default of that size; use NULLABLE or RAGGED, or change the default",
          Options::kFixedSizeFieldNumber);
    SayIf(options_.has_optional_as() && !MayBeAbsent(field),
          "optional_as is for fields that may be absent: optional ones, members of oneofs, and messages that are neither "
          "required nor repeated; take it out",
          Options::kOptionalAsFieldNumber);
    SayIf(options_.has_recursion_depth() && value.message == nullptr, "recursion_depth is for messages; take it out",
          Options::kRecursionDepthFieldNumber);
    // `flatten: false` counts as well: a file of annotations may set it, but cannot remove a prefix.
    SayIf(options_.has_prefix() && !options_.has_flatten(), "prefix is of use only with flatten: true",
          Options::kPrefixFieldNumber);
    if (!options_.flatten()) return;
    SayIf(field.message == nullptr || field.cardinality != plan::Cardinality::kSingular,
          "flatten is for messages that are not repeated; take it out", Options::kFlattenFieldNumber);
    SayIf(field.message != nullptr && field.message->well_known != plan::WellKnown::kNone,
          "flatten is for messages that become structs, and this one becomes a value; take it out",
          Options::kFlattenFieldNumber);
    SayIf(options_.has_name(), "a message that is flattened has no column, and no name; use prefix, or take name out",
          Options::kNameFieldNumber);
  }

  static bool MayBeAbsent(const FieldSchema& field) {
    return field.cardinality == plan::Cardinality::kSingular && field.presence == plan::Presence::kExplicit;
  }

 private:
  // The number of name or of prefix, if only one of them is set; else 0.
  int NameOrPrefix() const {
    if (options_.has_name() == options_.has_prefix()) return 0;
    return options_.has_name() ? Options::kNameFieldNumber : Options::kPrefixFieldNumber;
  }

  static bool IsUtf8(const std::string& text) {
    return wire_internal::IsUtf8Slow(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }

  static bool HasBytesBeyondAscii(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  }

  const Descriptor& descriptor_;
  const Options& options_;
  std::vector<Problem>& problems_;
};

// --- From options to the schema

OptionalAs ToPlan(Options::OptionalAs optional_as) {
  switch (optional_as) {
    case Options::NULLABLE:
      return OptionalAs::kNullable;
    case Options::RAGGED:
      return OptionalAs::kRagged;
    case Options::DEFAULT:
      return OptionalAs::kDefaultFilled;
  }
  return OptionalAs::kUnspecified;
}

Timestamps ToPlan(Options::Timestamps timestamps) {
  switch (timestamps) {
    case Options::SECONDS:
      return Timestamps::kSeconds;
    case Options::MILLISECONDS:
      return Timestamps::kMilliseconds;
    case Options::MICROSECONDS:
      return Timestamps::kMicroseconds;
    case Options::NANOSECONDS:
      return Timestamps::kNanoseconds;
  }
  return Timestamps::kUnspecified;
}

EnumAs ToPlan(Options::EnumAs enum_as) {
  switch (enum_as) {
    case Options::NUMBER:
      return EnumAs::kNumber;
    case Options::NAME:
      return EnumAs::kName;
    case Options::DICTIONARY:
      return EnumAs::kDictionary;
  }
  return EnumAs::kUnspecified;
}

void Apply(const AnnotatedField& at, std::vector<Problem>& problems) {
  const std::optional<Options> own = OptionsOf(*at.descriptor);
  Options options = OptionsOfType(*at.descriptor).value_or(Options());
  if (!Judge<pb::FieldDescriptor>::MayBeAbsent(*at.field)) options.clear_optional_as();
  if (own.has_value()) {
    Judge<pb::FieldDescriptor> judge(*at.descriptor, *own, problems);
    if (at.message->map_entry) return judge.Say("entries of maps have no annotations; annotate the map");
    if (at.message->well_known != plan::WellKnown::kNone) {
      return judge.Say("a Timestamp, Duration or wrapper is one value; annotate the fields of that type");
    }
    judge.CheckField(*at.field, *at.value);
    options.MergeFrom(*own);
  }
  at.field->skip = options.skip();
  at.field->column_name = options.name();
  at.field->annotations.flatten = options.flatten();
  if (options.flatten()) at.field->prefix = options.prefix();
  if (options.has_optional_as()) at.field->annotations.optional_as = ToPlan(options.optional_as());
  plan::FieldAnnotations& of_value = at.value->annotations;
  if (options.has_timestamps()) of_value.timestamps = ToPlan(options.timestamps());
  if (options.has_enum_as()) of_value.enum_as = ToPlan(options.enum_as());
  of_value.text = options.bytes_as() == Options::UTF8;
  at.value->validate_utf8 = at.value->validate_utf8 || of_value.text;
  of_value.recursion_depth = options.recursion_depth();
  of_value.fixed_size_bytes = static_cast<uint32_t>(options.fixed_size());
}

// --- Columns

std::string ColumnName(const FieldSchema& field) {
  if (!field.column_name.empty()) return field.column_name;
  return field.extension ? absl::StrCat("[", field.name, "]") : field.name;
}

// Which message types reach each other: Tarjan's strongly connected components. Without recursion, because types may contain
// each other in long chains.
class Circles {
 public:
  // Whether `held`, the type of a field of `holder`, reaches `holder`.
  bool HasBoth(const MessageSchema* holder, const MessageSchema* held) {
    Visit(holder);
    return states_.at(holder).circle == states_.at(held).circle;
  }

 private:
  static constexpr size_t kNone = ~size_t{0};
  struct State {
    size_t index;           // in the order in which types were visited
    size_t low;             // the smallest index that is reached
    size_t circle = kNone;  // none while the type is on path_
  };
  struct Step {
    const MessageSchema* message;
    size_t next_field = 0;
  };

  void Visit(const MessageSchema* root) {
    if (states_.contains(root)) return;
    std::vector<Step> steps;
    Enter(root, steps);
    while (!steps.empty()) {
      Step& step = steps.back();
      State& state = states_.at(step.message);
      if (step.next_field < step.message->fields.size()) {
        const MessageSchema* const below = step.message->fields[step.next_field++].message;
        if (below == nullptr) continue;
        const auto known = states_.find(below);
        if (known == states_.end()) {
          Enter(below, steps);
        } else if (known->second.circle == kNone) {
          state.low = std::min(state.low, known->second.index);
        }
        continue;
      }
      if (state.low == state.index) Close(step.message);
      steps.pop_back();
      if (!steps.empty()) {
        State& above = states_.at(steps.back().message);
        above.low = std::min(above.low, state.low);
      }
    }
  }

  void Enter(const MessageSchema* message, std::vector<Step>& steps) {
    const size_t index = states_.size();
    states_.emplace(message, State{.index = index, .low = index});
    path_.push_back(message);
    steps.push_back({message});
  }

  void Close(const MessageSchema* first) {
    const MessageSchema* last = nullptr;
    while (last != first) {
      last = path_.back();
      path_.pop_back();
      states_.at(last).circle = circles_;
    }
    ++circles_;
  }

  std::unordered_map<const MessageSchema*, State> states_;
  std::vector<const MessageSchema*> path_;
  size_t circles_ = 0;
};

// The names of a struct's columns. Skipped fields have no columns, so other fields may take their names.
class ColumnNames {
 public:
  // How many columns and bytes of names flattened messages may still have.
  struct Budget {
    size_t columns = kMaxColumns;
    size_t name_bytes = kMaxColumnNameBytes;
  };

  ColumnNames(const MessageSchema& message, Budget& budget) : budget_(budget) {
    for (const FieldSchema& field : message.fields) {
      if (field.column_name.empty() && !field.annotations.flatten && !field.skip) names_.insert(ColumnName(field));
    }
    for (const Oneof& oneof : message.oneofs) names_.insert(oneof.case_name);
  }

  // Adds the columns of an annotated field. Returns what is wrong with them, or "".
  std::string Add(const FieldSchema& field) {
    if (!field.annotations.flatten) {
      if (names_.insert(field.column_name).second) return "";
      return absl::StrCat("another column is called ", field.column_name, "; give one of them another name");
    }
    return AddFlattened(field, "", "", 1);
  }

 private:
  // `path`: the flattened messages around the field, "a.b.". Columns of unknown fields are named by this path.
  std::string AddFlattened(const FieldSchema& field, const std::string& prefix_around, const std::string& path, int depth) {
    if (depth > kMaxFlattened) return absl::StrCat("more than ", kMaxFlattened, " messages in each other are flattened");
    const std::string prefix = prefix_around + field.prefix;
    const std::string path_here = absl::StrCat(path, field.name, ".");
    std::string problem = AddOne(path_here + "unknown_fields");
    for (const FieldSchema& below : field.message->fields) {
      if (!problem.empty()) return problem;
      if (below.skip) continue;
      problem =
          below.annotations.flatten ? AddFlattened(below, prefix, path_here, depth + 1) : AddOne(prefix + ColumnName(below));
    }
    for (const Oneof& oneof : field.message->oneofs) {
      if (problem.empty()) problem = AddOne(prefix + oneof.case_name);
    }
    return problem;
  }

  std::string AddOne(std::string name) {
    if (budget_.columns == 0) return absl::StrCat("flattened messages have more than ", kMaxColumns, " columns in all");
    if (budget_.name_bytes < name.size()) {
      return absl::StrCat("the names of columns of flattened messages have more than ", kMaxColumnNameBytes, " bytes in all");
    }
    --budget_.columns;
    budget_.name_bytes -= name.size();
    const auto [added, is_new] = names_.insert(std::move(name));
    if (is_new) return "";
    return absl::StrCat("flattened, it would have a column called ", *added,
                        ", as another field has; set another prefix, or give one of them another name");
  }

  std::set<std::string> names_;
  Budget& budget_;
};

}  // namespace

bool IsOfAnnotations(const pb::FieldDescriptor& extension) {
  const auto& name = extension.full_name();
  return name == "structtensor.field" || name == "structtensor.message" || name == "structtensor.enumeration";
}

std::optional<Options> AnnotationsIn(const pb::Message& options) {
  pb::UnknownFieldSet fields;
  if (!fields.ParseFromString(options.SerializePartialAsString())) return std::nullopt;
  std::optional<Options> annotations;
  for (int i = 0; i < fields.field_count(); ++i) {
    const pb::UnknownField& field = fields.field(i);
    if (field.number() != kAnnotationsNumber || field.type() != pb::UnknownField::TYPE_LENGTH_DELIMITED) continue;
    if (!annotations.has_value()) annotations.emplace();
    // Bytes that cannot be parsed are ignored: they set no option.
    Options part;
    if (part.ParsePartialFromString(field.length_delimited())) annotations->MergeFrom(part);
  }
  return annotations;
}

void SetAnnotationsIn(const Options& annotations, pb::Message& options) {
  pb::UnknownFieldSet fields;
  if (!fields.ParseFromString(options.SerializePartialAsString())) return;
  fields.DeleteByNumber(kAnnotationsNumber);
  fields.AddLengthDelimited(kAnnotationsNumber, annotations.SerializeAsString());
  std::string bytes;
  if (fields.SerializeToString(&bytes)) std::ignore = options.ParsePartialFromString(bytes);  // its own bytes
}

bool HasAnnotations(const pb::FieldDescriptor& field) {
  return OptionsOf(field).has_value() || OptionsOfType(field).has_value();
}

void CheckTypeAnnotations(const pb::Descriptor& message, std::vector<Problem>& problems) {
  const std::optional<Options> options = OptionsOf(message);
  if (!options.has_value()) return;
  if (message.options().map_entry()) {
    return Judge<pb::Descriptor>(message, *options, problems).Say("entries of maps have no annotations; annotate the map");
  }
  const bool is_time = message.full_name() == "google.protobuf.Timestamp" || message.full_name() == "google.protobuf.Duration";
  Judge<pb::Descriptor>(message, *options, problems).CheckType(is_time, /*is_enum=*/false);
}

void CheckTypeAnnotations(const pb::EnumDescriptor& enumeration, std::vector<Problem>& problems) {
  const std::optional<Options> options = OptionsOf(enumeration);
  if (options.has_value()) Judge<pb::EnumDescriptor>(enumeration, *options, problems).CheckType(false, /*is_enum=*/true);
}

void ApplyAnnotations(const std::vector<AnnotatedField>& fields, std::vector<Problem>& problems) {
  for (const AnnotatedField& field : fields) Apply(field, problems);
}

void CheckColumns(const std::vector<AnnotatedField>& fields, std::vector<Problem>& problems) {
  const auto add = [&problems](const AnnotatedField& at, std::string text) {
    problems.push_back({std::string(at.descriptor->full_name()), LocationOf(*at.descriptor), std::move(text),
                        at.field->annotations.flatten ? Options::kFlattenFieldNumber : Options::kNameFieldNumber});
  };
  Circles circles;
  bool endless = false;
  for (const AnnotatedField& at : fields) {
    if (!at.field->annotations.flatten || at.field->message == nullptr) continue;
    if (!circles.HasBoth(at.message, at.field->message)) continue;
    add(at, absl::StrCat("a ", at.field->message->full_name, " contains a ", at.message->full_name,
                         ", and what contains itself cannot be flattened; take flatten out"));
    endless = true;
  }
  if (endless || !problems.empty()) return;
  ColumnNames::Budget budget;
  std::unordered_map<const MessageSchema*, ColumnNames> names;
  for (const AnnotatedField& at : fields) {
    if (at.field->skip || (at.field->column_name.empty() && !at.field->annotations.flatten)) continue;
    std::string problem = names.try_emplace(at.message, *at.message, budget).first->second.Add(*at.field);
    if (!problem.empty()) add(at, std::move(problem));
  }
}

}  // namespace structtensor::schema
