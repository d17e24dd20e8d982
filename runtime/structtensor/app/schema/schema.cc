#include "structtensor/app/schema/schema.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/api.pb.h>
#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/source_context.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/type.pb.h>
#include <google/protobuf/util/message_differencer.h>
#include <google/protobuf/wrappers.pb.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/app/schema/internal/annotation_text.h"
#include "structtensor/app/schema/internal/text_format_impl.h"
#include "structtensor/compiler/plan/generated_file.h"
#include "structtensor/compiler/schema/annotations.h"
#include "structtensor/compiler/schema/proto_files.h"
#include "structtensor/compiler/schema/schema.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/engine/engine.h"
#include "structtensor_options/text.h"

namespace structtensor {

namespace pb = ::google::protobuf;

namespace schema_internal {

// protobuf's own files, which are linked with libprotobuf, and the file of annotations. Other files that the program has linked
// do not count.
class OwnFiles : public pb::DescriptorPoolDatabase {
 public:
  OwnFiles() : pb::DescriptorPoolDatabase(*pb::DescriptorPool::generated_pool()) {
    // The types are named here because a linker takes from a static library only what is named.
    for (const pb::Descriptor* const type :
         {pb::Any::descriptor(), pb::Api::descriptor(), pb::Duration::descriptor(), pb::Empty::descriptor(),
          pb::FieldMask::descriptor(), pb::SourceContext::descriptor(), pb::Struct::descriptor(), pb::Timestamp::descriptor(),
          pb::Type::descriptor(), pb::BoolValue::descriptor(), pb::FileDescriptorProto::descriptor()}) {
      files_.insert(std::string(type->file()->name()));
    }
    files_.insert(schema::kOptionsFileName);
  }

  bool Has(const std::string& name) const { return files_.contains(name); }

  bool FindFileByName(schema::NameArgument name, pb::FileDescriptorProto* file) override {
    if (name == schema::kOptionsFileName) return ParseOptions(file);
    return Has(std::string(name)) && pb::DescriptorPoolDatabase::FindFileByName(name, file);
  }
  bool FindFileContainingSymbol(schema::NameArgument symbol, pb::FileDescriptorProto* file) override {
    return pb::DescriptorPoolDatabase::FindFileContainingSymbol(symbol, file) && files_.contains(file->name());
  }
  bool FindFileContainingExtension(schema::NameArgument, int, pb::FileDescriptorProto*) override { return false; }
  bool FindAllExtensionNumbers(schema::NameArgument, std::vector<int>*) override { return false; }

 private:
  static bool ParseOptions(pb::FileDescriptorProto* file) {
    pb::io::ArrayInputStream text(kOptionsProtoText, sizeof(kOptionsProtoText) - 1);
    pb::io::Tokenizer tokenizer(&text, /*error_collector=*/nullptr);
    file->Clear();
    if (!pb::compiler::Parser().Parse(&tokenizer, file)) return false;
    file->set_name(schema::kOptionsFileName);
    file->clear_source_code_info();
    return true;
  }

  std::set<std::string> files_;
};

// Adds the file and its imports to `files`, each after its own imports.
void AddWithImports(const pb::FileDescriptor* file, std::set<const pb::FileDescriptor*>& seen,
                    std::vector<const pb::FileDescriptor*>& files) {
  if (!seen.insert(file).second) return;
  for (int i = 0; i < file->dependency_count(); ++i) AddWithImports(file->dependency(i), seen, files);
  files.push_back(file);
}

// Finds, in files, an extension of the options of fields, messages or enums that has the number of annotations: structtensor's
// own, or another one.
class OptionsOfNumber {
 public:
  explicit OptionsOfNumber(const std::vector<const pb::FileDescriptor*>& files) {
    for (const pb::FileDescriptor* const file : files)
      AddExtensionsOf(*file, file->message_type_count(), &pb::FileDescriptor::message_type);
  }

  // Null if there is none.
  const pb::FieldDescriptor* ours() const { return ours_; }
  const pb::FieldDescriptor* other() const { return other_; }

 private:
  template <typename Scope>
  void AddExtensionsOf(const Scope& scope, int messages, const pb::Descriptor* (Scope::*message)(int) const) {
    for (int i = 0; i < scope.extension_count(); ++i) Add(*scope.extension(i));
    for (int i = 0; i < messages; ++i) {
      const pb::Descriptor& below = *(scope.*message)(i);
      AddExtensionsOf(below, below.nested_type_count(), &pb::Descriptor::nested_type);
    }
  }
  void Add(const pb::FieldDescriptor& extension) {
    const auto& extended = extension.containing_type()->full_name();
    if (extension.number() != schema::kAnnotationsNumber ||
        (extended != "google.protobuf.FieldOptions" && extended != "google.protobuf.MessageOptions" &&
         extended != "google.protobuf.EnumOptions")) {
      return;
    }
    const pb::FieldDescriptor*& found = schema::IsOfAnnotations(extension) ? ours_ : other_;
    if (found == nullptr) found = &extension;
  }

  const pb::FieldDescriptor* ours_ = nullptr;
  const pb::FieldDescriptor* other_ = nullptr;
};

// The key of a map entry as text.
std::string KeyTextOf(const pb::Message& entry, const pb::FieldDescriptor* key) {
  const pb::Reflection* const reflection = entry.GetReflection();
  switch (key->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(reflection->GetInt32(entry, key));
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return absl::StrCat(reflection->GetInt64(entry, key));
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(reflection->GetUInt32(entry, key));
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(reflection->GetUInt64(entry, key));
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(entry, key) ? "true" : "false";
    default:
      return reflection->GetString(entry, key);
  }
}

// Sets the key or the value of a map entry to what reading it gives.
void SetFieldOfEntry(pb::Message* entry, const pb::FieldDescriptor* field) {
  const pb::Reflection* const reflection = entry->GetReflection();
  switch (field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(entry, field, reflection->GetInt32(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetInt64(entry, field, reflection->GetInt64(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(entry, field, reflection->GetUInt32(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return reflection->SetUInt64(entry, field, reflection->GetUInt64(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return reflection->SetFloat(entry, field, reflection->GetFloat(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(entry, field, reflection->GetDouble(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(entry, field, reflection->GetBool(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      return reflection->SetEnumValue(entry, field, reflection->GetEnumValue(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(entry, field, reflection->GetString(*entry, field));
    case pb::FieldDescriptor::CPPTYPE_MESSAGE:
      reflection->MutableMessage(entry, field);
  }
}

// Reads the maps of a parsed message, and of all messages in it, as generated classes do. A dynamic message keeps the entries
// as they were sent. Several may have the same key, and the last one counts. A key or a value may be missing, and then has the
// default. Entries may also have unknown fields, which a map has no place for.
void ReadMaps(pb::Message* message) {
  const pb::Reflection* const reflection = message->GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const pb::FieldDescriptor* const field : fields) {
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      ReadMaps(reflection->MutableMessage(message, field));
      continue;
    }
    std::unordered_map<std::string, int> last;  // entry of each key
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      pb::Message* const element = reflection->MutableRepeatedMessage(message, field, i);
      ReadMaps(element);
      if (!field->is_map()) continue;
      element->GetReflection()->MutableUnknownFields(element)->Clear();
      SetFieldOfEntry(element, field->message_type()->map_key());
      SetFieldOfEntry(element, field->message_type()->map_value());
      last[KeyTextOf(*element, field->message_type()->map_key())] = i;
    }
    if (!field->is_map()) continue;
    std::vector<int> kept;
    for (const auto& [key, entry] : last) kept.push_back(entry);
    std::sort(kept.begin(), kept.end());
    for (size_t i = 0; i < kept.size(); ++i) reflection->SwapElements(message, field, static_cast<int>(i), kept[i]);
    while (reflection->FieldSize(*message, field) > static_cast<int>(kept.size())) reflection->RemoveLast(message, field);
  }
}

bool IsEndOf(std::string_view name, std::string_view full_name) {
  return full_name.ends_with(name) && (full_name.size() == name.size() || full_name[full_name.size() - name.size() - 1] == '.');
}

// Builds the plans of all message types of a set of files, without functions.
class PlanBuilder {
 public:
  // If annotations are wrong, there are only problems.
  PlanBuilder(const std::vector<const pb::FileDescriptor*>& files, bool annotations)
      : schema_(files, {.annotations = annotations}) {
    if (!schema_.problems().empty()) return;
    for (const pb::FileDescriptor* file : files) files_.push_back(compiler::MakeGeneratedFile(schema_.file(file), names_));
    for (const compiler::GeneratedFile& file : files_) {
      for (const compiler::GeneratedEnum& enumeration : file.enums) AddEnum(*enumeration.enumeration);
      for (const compiler::GeneratedMessage& message : file.messages) messages_[message.message] = &AddMessage(message);
    }
    for (const compiler::GeneratedFile& file : files_) {
      for (const compiler::GeneratedMessage& message : file.messages) AddFields(message, *messages_.at(message.message));
    }
  }
  PlanBuilder(const PlanBuilder&) = delete;
  PlanBuilder& operator=(const PlanBuilder&) = delete;

  const std::vector<schema::Problem>& problems() const { return schema_.problems(); }

  const plan::MessagePlan& Of(const pb::Descriptor* message) const { return messages_.at(&schema_.message(message))->plan; }

 private:
  struct Enum {
    plan::EnumPlan plan;
    std::vector<int32_t> numbers;
    std::vector<std::string_view> names;
    std::vector<plan::EnumAlias> aliases;
  };
  struct Message {
    plan::MessagePlan plan;
    std::vector<plan::FieldPlan> fields;
  };

  void AddEnum(const schema::EnumSchema& schema) {
    Enum& enumeration = enum_storage_.emplace_back();
    for (const schema::EnumSchema::Value& value : schema.values) {
      enumeration.numbers.push_back(value.number);
      enumeration.names.push_back(value.name);
    }
    for (const schema::EnumSchema::Value& value : schema.aliases) enumeration.aliases.push_back({value.name, value.number});
    enumeration.plan = {schema.full_name, enumeration.numbers, enumeration.names, enumeration.aliases};
    enums_[&schema] = &enumeration.plan;
  }

  Message& AddMessage(const compiler::GeneratedMessage& generated) {
    const schema::MessageSchema& schema = *generated.message;
    Message& message = message_storage_.emplace_back();
    message.plan.full_name = schema.full_name;
    message.plan.well_known = schema.well_known;
    message.plan.map_entry = schema.map_entry;
    message.plan.message_set = schema.message_set;
    message.plan.reaches_required = schema.reaches_required;
    message.plan.presence_words = generated.presence_words;
    return message;
  }

  // Lays out the node as generated code does: the columns in their order, after the members that all nodes have.
  void AddFields(const compiler::GeneratedMessage& generated, Message& message) {
    size_t offset = sizeof(column_internal::TreeNode);
    for (size_t i = 0; i < generated.columns.size(); ++i) {
      plan::FieldPlan field = compiler::FieldPlanOf(generated, i);
      const schema::FieldSchema* const schema = generated.columns[i].field;
      if (schema != nullptr && schema->message != nullptr) field.message = &messages_.at(schema->message)->plan;
      if (schema != nullptr && schema->enumeration != nullptr) field.enumeration = enums_.at(schema->enumeration);
      field.column_offset = static_cast<uint32_t>(offset);
      offset += sizeof(column_internal::ColumnBuffer);
      message.fields.push_back(field);
    }
    message.plan.fields = message.fields;
    message.plan.node_size_bytes = static_cast<uint32_t>(offset);
  }

  const schema::Schema schema_;
  compiler::NameTable names_;
  std::vector<compiler::GeneratedFile> files_;  // the plans refer to strings in them
  std::deque<Enum> enum_storage_;
  std::deque<Message> message_storage_;
  std::unordered_map<const schema::EnumSchema*, const plan::EnumPlan*> enums_;
  std::unordered_map<const schema::MessageSchema*, Message*> messages_;
};

}  // namespace schema_internal

class Schema::State {
 public:
  absl::Status ReadDescriptorSet(std::string_view bytes) {
    pb::FileDescriptorSet set;
    // ParseFromArray() would print a message if a required field is missing.
    if (bytes.size() > INT32_MAX || !set.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
        !set.IsInitialized()) {
      return absl::InvalidArgumentError(
          "not a FileDescriptorSet\nhint: write one with protoc --include_imports --descriptor_set_out=FILE");
    }
    if (set.file_size() == 0) return absl::InvalidArgumentError("the FileDescriptorSet has no files");
    for (const pb::FileDescriptorProto& file : set.file()) {
      const std::string problem = schema::NeedsNewerProtobuf(file);
      if (!problem.empty()) return absl::InvalidArgumentError(absl::StrCat(file.name(), ": ", problem));
      AddFileName(file.name());
    }
    return ReadFiles(set);
  }

  absl::Status ReadAnnotated(const State& original, std::string_view text, std::string_view file_name) {
    pb::FileDescriptorSet set;
    for (const pb::FileDescriptor* file : original.files_) {
      pb::FileDescriptorProto* const copy = set.add_file();
      file->CopyTo(copy);
      file->CopySourceCodeInfoTo(copy);
    }
    STRUCTTENSOR_RETURN_IF_ERROR(schema_internal::MergeAnnotations(text, file_name, set, annotated_at_));
    file_names_ = original.file_names_;
    source_files_ = original.source_files_;
    annotated_by_text_ = true;
    return ReadFiles(set);
  }

  absl::Status ReadProtoFiles(const std::vector<std::string>& files, const std::vector<std::string>& import_dirs) {
    if (files.empty()) return absl::InvalidArgumentError("no .proto file; name one");
    const std::vector<std::string> dirs = import_dirs.empty() ? DefaultImportDirs(files) : import_dirs;
    for (const std::string& dir : dirs) tree_.MapPath("", dir);
    for (const std::string& file : files) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::string name, NameOfFile(file, dirs));
      AddFileName(std::move(name));
    }
    parsed_ = std::make_unique<pb::compiler::SourceTreeDescriptorDatabase>(&tree_, &own_files_);
    parsed_->RecordErrorsTo(&problems_);
    STRUCTTENSOR_RETURN_IF_ERROR(Build(parsed_.get(), parsed_->GetValidationErrorCollector()));
    source_files_ = tree_.opened_files();
    return absl::OkStatus();
  }

  const std::vector<std::string>& source_files() const { return source_files_; }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& all_names() const { return all_names_; }

  // Requires: the name is one of all_names(). The plan refers to this object.
  std::shared_ptr<const plan::MessagePlan> PlanOf(const std::string& full_name, Annotations annotations) const {
    const schema_internal::PlanBuilder* plans = plans_.get();
    if (annotations == Annotations::kIgnore) {
      std::call_once(plain_plans_made_,
                     [this] { plain_plans_ = std::make_unique<schema_internal::PlanBuilder>(files_, /*annotations=*/false); });
      plans = plain_plans_.get();
    }
    return MakeEnginePlan(plans->Of(pool_->FindMessageTypeByName(full_name)));
  }

  std::set<std::string> NamesOfFieldTypes() const {
    std::set<std::string> names;
    for (const pb::FileDescriptor* file : files_) {
      for (int i = 0; i < file->message_type_count(); ++i) AddMessagesOfFields(*file->message_type(i), names);
      for (int i = 0; i < file->extension_count(); ++i) {
        if (file->extension(i)->message_type() != nullptr) names.emplace(file->extension(i)->message_type()->full_name());
      }
    }
    return names;
  }

  std::vector<std::string> RootNames() const {
    const std::set<std::string> fields = NamesOfFieldTypes();
    std::vector<std::string> roots;
    for (const std::string& name : names_) {
      if (!fields.contains(name)) roots.push_back(name);
    }
    return roots.empty() ? names_ : roots;
  }

  // Requires: the name is one of all_names().
  const pb::Message* Prototype(const std::string& full_name) const {
    return prototypes_->GetPrototype(pool_->FindMessageTypeByName(full_name));
  }

  absl::StatusOr<std::string> Difference(const std::string& full_name, std::string_view a, std::string_view b) const {
    const pb::Message* const prototype = Prototype(full_name);
    const std::unique_ptr<pb::Message> messages[] = {std::unique_ptr<pb::Message>(prototype->New()),
                                                     std::unique_ptr<pb::Message>(prototype->New())};
    const std::string_view strings[] = {a, b};
    for (int i = 0; i < 2; ++i) {
      if (strings[i].size() > INT32_MAX ||
          !messages[i]->ParsePartialFromArray(strings[i].data(), static_cast<int>(strings[i].size()))) {
        return absl::InvalidArgumentError("libprotobuf does not parse it");
      }
      schema_internal::ReadMaps(messages[i].get());
    }
    pb::util::DefaultFieldComparator equal_numbers;
    equal_numbers.set_treat_nan_as_equal(true);
    pb::util::MessageDifferencer differencer;
    differencer.set_field_comparator(&equal_numbers);
    std::string difference;
    differencer.ReportDifferencesToString(&difference);
    if (differencer.Compare(*messages[0], *messages[1])) return "";
    return difference.empty() ? "they differ" : difference.substr(0, difference.find('\n'));
  }

  // The file that declares a message type. Requires: the name is one of all_names().
  const pb::FileDescriptor* FileOf(const std::string& full_name) const {
    return pool_->FindMessageTypeByName(full_name)->file();
  }

  absl::StatusOr<const pb::FileDescriptor*> MainFile() const {
    std::set<const pb::FileDescriptor*> named;
    std::set<const pb::FileDescriptor*> imported;
    std::vector<const pb::FileDescriptor*> in_order;
    for (const std::string& name : file_names_) {
      if (own_files_.Has(name) && !only_own_files_) continue;
      const pb::FileDescriptor* const file = pool_->FindFileByName(name);
      named.insert(file);
      for (int i = 0; i < file->dependency_count(); ++i) {
        schema_internal::AddWithImports(file->dependency(i), imported, in_order);
      }
    }
    std::erase_if(named, [&imported](const pb::FileDescriptor* file) { return imported.contains(file); });
    if (named.size() == 1) return *named.begin();
    std::vector<std::string> names;
    for (const pb::FileDescriptor* file : named) names.emplace_back(file->name());
    std::sort(names.begin(), names.end());
    constexpr size_t kMaxListed = 5;
    const bool all_listed = names.size() <= kMaxListed;
    if (!all_listed) names.resize(kMaxListed);
    return absl::InvalidArgumentError(absl::StrCat(
        "message indexes refer to the types of one file, but the schema has several that no other file imports: ",
        absl::StrJoin(names, ", "), all_listed ? "" : " and more", "; name the type with `message`, or give one file"));
  }

  // The message types that the indexes may name in the file.
  static std::vector<std::string> TypesAt(const pb::FileDescriptor& file, std::span<const int32_t> indexes) {
    std::vector<std::string> types;
    for (const bool count_map_entries : {true, false}) {
      const pb::Descriptor* const type = TypeAt(file, indexes, count_map_entries);
      if (type == nullptr || type->options().map_entry()) continue;
      std::string name(type->full_name());
      if (types.empty() || types.front() != name) types.push_back(std::move(name));
    }
    return types;
  }

  std::string SerializeDescriptorSet() const {
    pb::FileDescriptorSet set;
    for (const pb::FileDescriptor* file : files_) file->CopyTo(set.add_file());
    return set.SerializeAsString();
  }

 private:
  // A file may be named twice.
  void AddFileName(std::string name) {
    if (std::find(file_names_.begin(), file_names_.end(), name) == file_names_.end()) file_names_.push_back(std::move(name));
  }

  // The current folder and the folders of the files. A file outside of the current folder has its name from its own folder,
  // which therefore comes first: the current folder may have a file of that name.
  static std::vector<std::string> DefaultImportDirs(const std::vector<std::string>& files) {
    std::vector<std::string> outside;
    std::vector<std::string> inside = {"."};
    for (const std::string& file : files) {
      const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
      std::string folder = std::filesystem::path(file).parent_path().string();
      if (folder.empty()) continue;
      const bool is_outside = path.is_absolute() || *path.begin() == "..";
      (is_outside ? outside : inside).push_back(std::move(folder));
    }
    outside.insert(outside.end(), inside.begin(), inside.end());
    std::vector<std::string> dirs;
    for (std::string& folder : outside) {
      if (std::find(dirs.begin(), dirs.end(), folder) == dirs.end()) dirs.push_back(std::move(folder));
    }
    return dirs;
  }

  // The name that imports use for the file.
  absl::StatusOr<std::string> NameOfFile(const std::string& file, const std::vector<std::string>& import_dirs) {
    std::string name;
    std::string shadow;
    switch (tree_.DiskFileToVirtualFile(file, &name, &shadow)) {
      case pb::compiler::DiskSourceTree::SUCCESS:
        return name;
      case pb::compiler::DiskSourceTree::SHADOWED: {
        // One folder may have two names: "." and its path.
        std::error_code error;
        if (std::filesystem::equivalent(shadow, file, error) && !error) return name;
        if (!std::filesystem::exists(file, error)) return name;  // not a path, but a name in imports
        return absl::InvalidArgumentError(absl::StrCat(file, ": ", shadow, " in an earlier import folder has the same name; ",
                                                       "change the order of the folders, or name that file"));
      }
      case pb::compiler::DiskSourceTree::CANNOT_OPEN:
        return absl::NotFoundError(absl::StrCat(file, ": no such file, or it cannot be read"));
      case pb::compiler::DiskSourceTree::NO_MAPPING:
        break;
    }
    // Not the path of a file below an import folder: perhaps the name of such a file in imports.
    std::string path;
    if (tree_.VirtualFileToDiskFile(file, &path)) return file;
    // Or the path of one that is written in another way than the folder: one of them absolute, for example.
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
      return absl::NotFoundError(
          absl::StrCat(file, ": no such file in ", absl::StrJoin(import_dirs, ", "),
                       "; name a .proto file that is there, and the folder that its imports start from"));
    }
    for (const std::string& folder : import_dirs) {
      const std::string in_folder = NameBelow(file, folder);
      if (!in_folder.empty() && tree_.VirtualFileToDiskFile(in_folder, &path) &&
          std::filesystem::equivalent(path, file, error) && !error) {
        return in_folder;
      }
    }
    return absl::NotFoundError(absl::StrCat(file, ": the file is not below an import folder (",
                                            absl::StrJoin(import_dirs, ", "),
                                            "); name the folder that its imports start from, too"));
  }

  // The path of the file from the folder, or "" if it is not below the folder.
  static std::string NameBelow(const std::string& file, const std::string& folder) {
    std::error_code error;
    const std::filesystem::path absolute_file = std::filesystem::absolute(file, error).lexically_normal();
    const std::filesystem::path absolute_folder = std::filesystem::absolute(folder, error).lexically_normal();
    const std::filesystem::path relative = absolute_file.lexically_relative(absolute_folder);
    return relative.empty() || *relative.begin() == ".." ? "" : relative.generic_string();
  }

  // Null if there is none.
  static const pb::Descriptor* TypeAt(const pb::FileDescriptor& file, std::span<const int32_t> indexes,
                                      bool count_map_entries) {
    if (indexes.empty() || indexes[0] < 0 || indexes[0] >= file.message_type_count()) return nullptr;
    const pb::Descriptor* type = file.message_type(indexes[0]);
    for (const int32_t index : indexes.subspan(1)) {
      const pb::Descriptor* nested = nullptr;
      for (int i = 0, counted = 0; i < type->nested_type_count() && nested == nullptr; ++i) {
        if (!count_map_entries && type->nested_type(i)->options().map_entry()) continue;
        if (counted++ == index) nested = type->nested_type(i);
      }
      if (nested == nullptr) return nullptr;
      type = nested;
    }
    return type;
  }

  // Takes the files out of the set. Requires: file_names_ are set.
  absl::Status ReadFiles(pb::FileDescriptorSet& set) {
    for (pb::FileDescriptorProto& file : *set.mutable_file()) {
      const std::string name = file.name();
      if (!files_of_set_.Add(std::move(file))) {
        return absl::InvalidArgumentError(
            absl::StrCat("the FileDescriptorSet has two different files named ", name, "; leave one of them out"));
      }
    }
    merged_ = std::make_unique<pb::MergedDescriptorDatabase>(&files_of_set_, &own_files_);
    return Build(merged_.get(), &problems_);
  }

  // `collector` passes its problems on to problems_.
  absl::Status Build(pb::DescriptorDatabase* database, pb::DescriptorPool::ErrorCollector* collector) {
    pool_ = std::make_unique<pb::DescriptorPool>(database, collector);
    std::set<const pb::FileDescriptor*> seen;
    only_own_files_ =
        std::all_of(file_names_.begin(), file_names_.end(), [this](const std::string& name) { return own_files_.Has(name); });
    for (const std::string& name : file_names_) {
      const pb::FileDescriptor* const file = pool_->FindFileByName(name);
      if (file == nullptr || !problems_.empty()) {
        return absl::InvalidArgumentError(problems_.empty() ? name + ": cannot be read" : problems_.Text());
      }
      for (int i = 0; i < file->message_type_count() && (only_own_files_ || !own_files_.Has(name)); ++i) {
        AddNames(*file->message_type(i), names_);
      }
      schema_internal::AddWithImports(file, seen, files_);
    }
    size_t fields = 0;
    for (const pb::FileDescriptor* file : files_) {
      fields += static_cast<size_t>(file->extension_count());
      for (int i = 0; i < file->message_type_count(); ++i) {
        AddNames(*file->message_type(i), all_names_);
        fields += CountFields(*file->message_type(i));
      }
    }
    if (fields > kMaxFields) {
      return absl::InvalidArgumentError(
          absl::StrCat("the files declare ", fields, " fields; at most ", kMaxFields, " are read"));
    }
    const schema_internal::OptionsOfNumber options(files_);
    if (options.other() != nullptr && (options.ours() != nullptr || annotated_by_text_)) {
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(options.other()->file()->name()), ": the option ", std::string(options.other()->full_name()),
                       " uses the field number ", schema::kAnnotationsNumber, " of annotations (", schema::kOptionsFileName,
                       "), and a schema cannot have both; give the option another number, or leave annotations out"));
    }
    if (annotated_by_text_ && options.ours() == nullptr) {
      // This file declares the options that the files now have, so that readers of the files know these options.
      const pb::FileDescriptor* const file = pool_->FindFileByName(schema::kOptionsFileName);
      if (file == nullptr || !problems_.empty()) return absl::InternalError(problems_.Text());
      schema_internal::AddWithImports(file, seen, files_);
    }
    plans_ = std::make_unique<schema_internal::PlanBuilder>(files_, /*annotations=*/true);
    for (schema::Problem problem : plans_->problems()) {
      const auto annotated_at = annotated_at_.find(problem.full_name);
      if (annotated_at != annotated_at_.end()) {
        const std::map<int, std::string>& places = annotated_at->second;
        problem.location = places.contains(problem.option) ? places.at(problem.option) : places.at(0);
      }
      problems_.Add(problem.Text());
    }
    AddSkippedRoots();
    if (!problems_.empty()) return absl::InvalidArgumentError(problems_.Text());
    prototypes_ = std::make_unique<pb::DynamicMessageFactory>(pool_.get());
    return absl::OkStatus();
  }

  static bool IsFieldOfItself(const pb::Descriptor& type) {
    for (int i = 0; i < type.field_count(); ++i) {
      if (type.field(i)->message_type() == &type) return true;
    }
    return false;
  }

  // If a text skips a message type and no field has the type, the text does nothing. This is a mistake. In a .proto file it is
  // none, because another file may use the type.
  void AddSkippedRoots() {
    std::set<std::string> of_fields;
    if (annotated_by_text_) of_fields = NamesOfFieldTypes();
    for (const auto& [name, places] : annotated_at_) {
      const auto place = places.find(option_messages::FieldOptions::kSkipFieldNumber);
      const pb::Descriptor* const type = place == places.end() ? nullptr : pool_->FindMessageTypeByName(name);
      if (type == nullptr || of_fields.contains(name) || IsFieldOfItself(*type)) continue;
      if (!schema::AnnotationsIn(type->options())->skip()) continue;
      problems_.Add(absl::StrCat(place->second, ": ", name,
                                 ": no field is of this type, and skip is about the fields of a type; take it out"));
    }
  }

  // Indices of fields have 24 bits in the engine.
  static constexpr size_t kMaxFields = size_t{1} << 22;

  static size_t CountFields(const pb::Descriptor& message) {
    size_t count = static_cast<size_t>(message.field_count()) + static_cast<size_t>(message.extension_count());
    for (int i = 0; i < message.nested_type_count(); ++i) count += CountFields(*message.nested_type(i));
    return count;
  }

  // The full names of the message types that fields have, including map entries and the values of maps. Fields of a type that
  // have this type itself do not count.
  static void AddMessagesOfFields(const pb::Descriptor& message, std::set<std::string>& names) {
    const auto add = [&](const pb::FieldDescriptor* field) {
      if (field->message_type() != nullptr && field->message_type() != field->containing_type()) {
        names.emplace(field->message_type()->full_name());
      }
    };
    for (int i = 0; i < message.field_count(); ++i) add(message.field(i));
    for (int i = 0; i < message.extension_count(); ++i) add(message.extension(i));
    for (int i = 0; i < message.nested_type_count(); ++i) AddMessagesOfFields(*message.nested_type(i), names);
  }

  static void AddNames(const pb::Descriptor& message, std::vector<std::string>& names) {
    if (message.options().map_entry()) return;
    names.emplace_back(message.full_name());
    for (int i = 0; i < message.nested_type_count(); ++i) AddNames(*message.nested_type(i), names);
  }

  schema::FileProblems problems_;
  schema_internal::OwnFiles own_files_;
  bool only_own_files_ = false;  // the schema has no other files
  bool annotated_by_text_ = false;
  schema_internal::AnnotatedAt annotated_at_;  // in that text
  schema::DescriptorSetFiles files_of_set_;
  schema::ProtoFileTree tree_{&problems_};
  std::unique_ptr<pb::compiler::SourceTreeDescriptorDatabase> parsed_;
  std::unique_ptr<pb::MergedDescriptorDatabase> merged_;
  std::unique_ptr<pb::DescriptorPool> pool_;
  std::vector<std::string> file_names_;
  std::vector<std::string> source_files_;         // on the disk
  std::vector<const pb::FileDescriptor*> files_;  // with all imports, each after its own
  std::vector<std::string> names_;
  std::vector<std::string> all_names_;
  std::unique_ptr<schema_internal::PlanBuilder> plans_;
  mutable std::once_flag plain_plans_made_;
  mutable std::unique_ptr<schema_internal::PlanBuilder> plain_plans_;  // without annotations; made when first asked for
  std::unique_ptr<pb::DynamicMessageFactory> prototypes_;              // safe to use from several threads
};

std::string ProtobufVersion() { return schema::ProtobufVersion(); }

absl::StatusOr<Schema> Schema::FromDescriptorSet(std::string_view bytes) {
  const schema::QuietLibprotobuf quiet;
  auto state = std::make_shared<State>();
  STRUCTTENSOR_RETURN_IF_ERROR(state->ReadDescriptorSet(bytes));
  return Schema(std::move(state));
}

absl::StatusOr<Schema> Schema::FromProtoFiles(const std::vector<std::string>& files,
                                              const std::vector<std::string>& import_dirs) {
  const schema::QuietLibprotobuf quiet;
  auto state = std::make_shared<State>();
  STRUCTTENSOR_RETURN_IF_ERROR(state->ReadProtoFiles(files, import_dirs));
  return Schema(std::move(state));
}

absl::StatusOr<Schema> Schema::WithAnnotations(std::string_view text, std::string_view file_name) const {
  const schema::QuietLibprotobuf quiet;
  auto state = std::make_shared<State>();
  STRUCTTENSOR_RETURN_IF_ERROR(state->ReadAnnotated(*state_, text, file_name));
  return Schema(std::move(state));
}

std::vector<std::string> Schema::MessageNames() const { return state_->names(); }

std::vector<std::string> Schema::RootMessageNames() const { return state_->RootNames(); }

absl::StatusOr<std::string> Schema::DifferenceOfMessages(std::string_view name, std::string_view a, std::string_view b) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string full_name, Resolve(name));
  return state_->Difference(full_name, a, b);
}

absl::StatusOr<TextFormat> Schema::TextFormatOf(std::string_view name, const TextFormatOptions& options) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string full_name, Resolve(name));
  return TextFormat(std::make_shared<const TextFormat::Impl>(TextFormat::Impl{state_, state_->Prototype(full_name), options}));
}

absl::StatusOr<std::string> Schema::Resolve(std::string_view name) const {
  const std::vector<std::string>& all = state_->all_names();
  if (std::find(all.begin(), all.end(), name) != all.end()) return std::string(name);
  std::vector<std::string> found;
  for (const std::string& full_name : all) {
    if (!name.empty() && schema_internal::IsEndOf(name, full_name)) found.push_back(full_name);
  }
  if (found.size() == 1) return found.front();
  if (!found.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("several message types are named ", ToAbsl(name), ": ",
                                                   absl::StrJoin(found, ", "), "; give the full name"));
  }
  const std::vector<std::string> like = base_internal::SimilarNames(name, all);
  constexpr size_t kMaxListed = 20;
  std::vector<std::string> listed = state_->names();
  const bool all_listed = listed.size() <= kMaxListed;
  if (!all_listed) listed.resize(kMaxListed);
  return absl::NotFoundError(
      absl::StrCat("no message is called ", ToAbsl(name),
                   !like.empty() ? base_internal::DidYouMean(like)
                                 : absl::StrCat("; there are ", absl::StrJoin(listed, ", "), all_listed ? "" : " and more")));
}

std::function<const plan::MessagePlan*(std::string_view)> Schema::PlanFinder() const {
  struct Plans {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const plan::MessagePlan>, std::less<>> by_name;
  };
  return [schema = *this, plans = std::make_shared<Plans>()](std::string_view name) -> const plan::MessagePlan* {
    const std::lock_guard lock(plans->mutex);
    if (const auto found = plans->by_name.find(name); found != plans->by_name.end()) return found->second.get();
    const absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan = schema.PlanOf(name);
    // PlanOf() also accepts the end of a name, but only the full name counts here.
    if (!plan.ok() || (*plan)->full_name != name) return nullptr;
    return plans->by_name.emplace(name, *plan).first->second.get();
  };
}

absl::StatusOr<std::function<std::vector<std::string>(std::span<const int32_t>)>> Schema::TypesOfIndexes(
    std::string_view name) const {
  const pb::FileDescriptor* file = nullptr;
  if (name.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(file, state_->MainFile());
  } else {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string full_name, Resolve(name));
    file = state_->FileOf(full_name);
  }
  return [state = state_, file](std::span<const int32_t> indexes) { return State::TypesAt(*file, indexes); };
}

absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> Schema::PlanOf(std::string_view name, Annotations annotations) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string full_name, Resolve(name));
  struct Owner {
    std::shared_ptr<const State> state;
    std::shared_ptr<const plan::MessagePlan> plan;
  };
  std::shared_ptr<const plan::MessagePlan> plan = state_->PlanOf(full_name, annotations);
  const auto owner = std::make_shared<const Owner>(Owner{state_, std::move(plan)});
  return std::shared_ptr<const plan::MessagePlan>(owner, owner->plan.get());
}

const std::vector<std::string>& Schema::SourceFiles() const { return state_->source_files(); }

std::string Schema::SerializeDescriptorSet() const { return state_->SerializeDescriptorSet(); }

}  // namespace structtensor
