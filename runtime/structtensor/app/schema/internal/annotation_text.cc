#include "structtensor/app/schema/internal/annotation_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/compiler/schema/annotations.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor_options/messages.pb.h"

namespace structtensor::schema_internal {
namespace {

namespace pb = ::google::protobuf;
using option_messages::Annotation;
using option_messages::Annotations;
using option_messages::FieldOptions;

// Mistakes in a text, one line for each. libprotobuf counts lines and columns from 0.
class Mistakes : public pb::io::ErrorCollector {
 public:
  explicit Mistakes(std::string_view file_name) : file_name_(file_name) {}

#if GOOGLE_PROTOBUF_VERSION >= 4022000
  void RecordError(int line, pb::io::ColumnNumber column, absl::string_view message) override {
    Add(line, column, std::string(message));
  }
#else
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override { Add(line, column, message); }
#endif

  std::string Location(int line, int column) const {
    return line < 0 ? file_name_ : absl::StrCat(file_name_, ":", line + 1, ":", column + 1);
  }
  void Add(int line, int column, const std::string& message) {
    if (!full()) lines_.push_back(absl::StrCat(Location(line, column), ": ", message));
  }
  // Further mistakes are not reported.
  bool full() const { return lines_.size() == kMaxLines; }

  absl::Status ToStatus() const {
    return lines_.empty() ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrJoin(lines_, "\n"));
  }

 private:
  static constexpr size_t kMaxLines = 20;  // a file may have thousands of mistakes, all for one reason

  const std::string file_name_;
  std::vector<std::string> lines_;
};

// Where the value of a field with this index begins, or line -1. Newer releases warn of GetLocation().
template <typename Tree>
pb::TextFormat::ParseLocation LocationOf(const Tree& tree, const pb::FieldDescriptor* field, int index) {
  if constexpr (requires { tree.GetFieldLocation(field, 0); }) {
    const auto location = tree.GetFieldLocation(field, static_cast<uint32_t>(index));
    return location.ok() ? location->name.start : pb::TextFormat::ParseLocation();
  } else {
    return tree.GetLocation(field, index);
  }
}

// The declarations that may be annotated, by full name.
class Targets {
 public:
  explicit Targets(pb::FileDescriptorSet& files) {
    for (pb::FileDescriptorProto& file : *files.mutable_file()) {
      const std::string scope = file.package().empty() ? "" : file.package() + ".";
      for (pb::DescriptorProto& message : *file.mutable_message_type()) AddMessage(scope, message);
      for (pb::EnumDescriptorProto& enumeration : *file.mutable_enum_type()) Add(scope, enumeration);
      for (pb::FieldDescriptorProto& extension : *file.mutable_extension()) Add(scope, extension);
    }
  }

  // The options of the declaration with this name; null if there is none.
  pb::Message* OptionsOf(const std::string& full_name) const {
    const auto found = targets_.find(full_name);
    if (found == targets_.end()) return nullptr;
    return std::visit([](auto* proto) -> pb::Message* { return proto->mutable_options(); }, found->second);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, target] : targets_) names.push_back(name);
    return names;
  }

 private:
  using Target = std::variant<pb::FieldDescriptorProto*, pb::DescriptorProto*, pb::EnumDescriptorProto*>;

  template <typename Proto>
  void Add(const std::string& scope, Proto& proto) {
    targets_.emplace(scope + proto.name(), &proto);
  }
  void AddMessage(const std::string& scope, pb::DescriptorProto& message) {
    Add(scope, message);
    const std::string scope_below = absl::StrCat(scope, message.name(), ".");
    for (pb::FieldDescriptorProto& field : *message.mutable_field()) Add(scope_below, field);
    for (pb::FieldDescriptorProto& extension : *message.mutable_extension()) Add(scope_below, extension);
    for (pb::EnumDescriptorProto& enumeration : *message.mutable_enum_type()) Add(scope_below, enumeration);
    for (pb::DescriptorProto& nested : *message.mutable_nested_type()) AddMessage(scope_below, nested);
  }

  std::unordered_map<std::string, Target> targets_;
};

}  // namespace

absl::Status MergeAnnotations(std::string_view text, std::string_view file_name, pb::FileDescriptorSet& files,
                              AnnotatedAt& annotated_at) {
  constexpr size_t kMaxTextBytes = size_t{16} << 20;
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(file_name), ": larger than 16 MiB, the limit for an annotation file"));
  }
  Mistakes mistakes(file_name);
  Annotations annotations;
  pb::TextFormat::ParseInfoTree locations;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&mistakes);
  parser.WriteLocationsTo(&locations);
  pb::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&input, &annotations)) {
    const absl::Status status = mistakes.ToStatus();
    return status.ok() ? absl::InvalidArgumentError(absl::StrCat(ToAbsl(file_name), ": it is not structtensor.Annotations"))
                       : status;
  }

  const pb::FieldDescriptor* const annotation_field =
      Annotations::descriptor()->FindFieldByNumber(Annotations::kAnnotationFieldNumber);
  const Targets targets(files);
  for (int i = 0; i < annotations.annotation_size() && !mistakes.full(); ++i) {
    const Annotation& annotation = annotations.annotation(i);
    const pb::TextFormat::ParseLocation at = LocationOf(locations, annotation_field, i);
    if (!annotation.has_path() || !annotation.has_options()) {
      mistakes.Add(at.line, at.column,
                   "an annotation has a path and options: annotation { path: \"pkg.Message.field\" options { … } }");
      continue;
    }
    pb::Message* const options = targets.OptionsOf(annotation.path());
    if (options == nullptr) {
      const std::vector<std::string> like = base_internal::SimilarNames(annotation.path(), targets.Names());
      mistakes.Add(
          at.line, at.column,
          absl::StrCat("the schema has no field, message type or enum called ", annotation.path(),
                       like.empty() ? "; write its full name, as in pkg.Message.field" : base_internal::DidYouMean(like)));
      continue;
    }
    // If an option had two values, it would not be clear which one is meant.
    std::vector<const pb::FieldDescriptor*> said;
    annotation.options().GetReflection()->ListFields(annotation.options(), &said);
    std::map<int, std::string>& places = annotated_at[annotation.path()];
    for (const pb::FieldDescriptor* const option : said) {
      const auto [first, is_new] = places.try_emplace(option->number(), mistakes.Location(at.line, at.column));
      if (is_new) continue;
      mistakes.Add(at.line, at.column,
                   absl::StrCat(annotation.path(), " has ", std::string(option->name()), " at ", first->second,
                                " already; take one of them out"));
    }
    FieldOptions merged = schema::AnnotationsIn(*options).value_or(FieldOptions());
    // A flattened message has no column. So `flatten` also takes back a name of the .proto file; there is no other way to do
    // so.
    if (annotation.options().flatten() && !annotation.options().has_name()) merged.clear_name();
    merged.MergeFrom(annotation.options());
    schema::SetAnnotationsIn(merged, *options);
    places[0] = mistakes.Location(at.line, at.column);
  }
  return mistakes.ToStatus();
}

}  // namespace structtensor::schema_internal
