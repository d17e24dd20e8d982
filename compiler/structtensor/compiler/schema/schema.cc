#include "structtensor/compiler/schema/schema.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.pb.h"
#include "structtensor/compiler/schema/annotations.h"
#include "structtensor/core/plan/field_names.h"

namespace structtensor::schema {
namespace {

namespace pb = ::google::protobuf;

// protobuf 27 returns absl::string_view where 3.21 returns std::string.
template <typename Text>
std::string Str(const Text& text) {
  return std::string(text.data(), text.size());
}

#if GOOGLE_PROTOBUF_VERSION >= 4025000
// "proto2" (which may also be ""), "proto3" or "editions".
std::string Syntax(const pb::FileDescriptor& file) {
  pb::FileDescriptorProto heading;
  file.CopyHeadingTo(&heading);
  return heading.syntax();
}
bool IsProto2(const pb::FileDescriptor& file) {
  const std::string syntax = Syntax(file);
  return syntax != "proto3" && syntax != "editions";
}
// The answer of legacy_enum_field_treated_as_closed() when the features of C++ are known. This plugin does not ask protoc for
// these features, so it cannot call that function.
bool IsClosed(const pb::FieldDescriptor& field) { return field.enum_type()->is_closed() || IsProto2(*field.file()); }
bool ValidatesUtf8(const pb::FieldDescriptor& field) { return field.requires_utf8_validation(); }
bool HasOptionalKeyword(const pb::FieldDescriptor& field) {
  if (field.containing_oneof() != nullptr) return field.real_containing_oneof() == nullptr;
  return IsProto2(*field.file());
}
// Editions have no groups. Any message field may have the encoding of a group, and libprotobuf then says that its type is a
// group.
bool IsDeclaredAsGroup(const pb::FieldDescriptor& field) {
  return field.type() == pb::FieldDescriptor::TYPE_GROUP && Syntax(*field.file()) != "editions";
}
#else
bool IsProto3(const pb::FileDescriptor& file) { return file.syntax() == pb::FileDescriptor::SYNTAX_PROTO3; }
bool IsClosed(const pb::FieldDescriptor& field) { return !IsProto3(*field.file()); }
bool HasOptionalKeyword(const pb::FieldDescriptor& field) { return field.has_optional_keyword(); }
bool IsDeclaredAsGroup(const pb::FieldDescriptor& field) { return field.type() == pb::FieldDescriptor::TYPE_GROUP; }
bool ValidatesUtf8(const pb::FieldDescriptor& field) {
  return field.type() == pb::FieldDescriptor::TYPE_STRING && IsProto3(*field.file());
}
#endif

const pb::OneofDescriptor* RealOneof(const pb::FieldDescriptor& field) { return field.real_containing_oneof(); }

// Compares name and fields: a file may declare a type of the same name with other fields.
plan::WellKnown WellKnownOf(const pb::Descriptor& message) {
  static const std::map<std::string, pb::FieldDescriptor::Type>* const kWrappers =
      new std::map<std::string, pb::FieldDescriptor::Type>{{"google.protobuf.DoubleValue", pb::FieldDescriptor::TYPE_DOUBLE},
                                                           {"google.protobuf.FloatValue", pb::FieldDescriptor::TYPE_FLOAT},
                                                           {"google.protobuf.Int64Value", pb::FieldDescriptor::TYPE_INT64},
                                                           {"google.protobuf.UInt64Value", pb::FieldDescriptor::TYPE_UINT64},
                                                           {"google.protobuf.Int32Value", pb::FieldDescriptor::TYPE_INT32},
                                                           {"google.protobuf.UInt32Value", pb::FieldDescriptor::TYPE_UINT32},
                                                           {"google.protobuf.BoolValue", pb::FieldDescriptor::TYPE_BOOL},
                                                           {"google.protobuf.StringValue", pb::FieldDescriptor::TYPE_STRING},
                                                           {"google.protobuf.BytesValue", pb::FieldDescriptor::TYPE_BYTES}};
  const auto has = [&message](int index, pb::FieldDescriptor::Type type) {
    const pb::FieldDescriptor& field = *message.field(index);
    return field.number() == index + 1 && field.type() == type && !field.is_repeated() && !field.has_presence();
  };
  const std::string full_name = Str(message.full_name());
  if (full_name == "google.protobuf.Timestamp" || full_name == "google.protobuf.Duration") {
    if (message.field_count() != 2 || !has(0, pb::FieldDescriptor::TYPE_INT64) || !has(1, pb::FieldDescriptor::TYPE_INT32)) {
      return plan::WellKnown::kNone;
    }
    return full_name == "google.protobuf.Timestamp" ? plan::WellKnown::kTimestamp : plan::WellKnown::kDuration;
  }
  const auto wrapper = kWrappers->find(full_name);
  if (wrapper == kWrappers->end() || message.field_count() != 1 || !has(0, wrapper->second)) return plan::WellKnown::kNone;
  return plan::WellKnown::kWrapper;
}

std::string NestedName(const std::string& full_name, const std::string& package) {
  return package.empty() ? full_name : full_name.substr(package.size() + 1);
}

// The text of the declaration as in the .proto file, without options.
std::string Declaration(const pb::FieldDescriptor& field) {
  const auto type_name = [](const pb::FieldDescriptor& f) -> std::string {
    if (IsDeclaredAsGroup(f)) return absl::StrCat("group ", Str(f.message_type()->name()));
    if (f.message_type() != nullptr) return Str(f.message_type()->full_name());
    if (f.enum_type() != nullptr) return Str(f.enum_type()->full_name());
    return std::string(f.type_name());
  };
  if (field.is_map()) {
    return absl::StrCat("map<", type_name(*field.message_type()->field(0)), ", ", type_name(*field.message_type()->field(1)),
                        "> ", Str(field.name()), " = ", field.number());
  }
  const char* label = field.is_repeated()         ? "repeated "
                      : field.is_required()       ? "required "
                      : HasOptionalKeyword(field) ? "optional "
                                                  : "";
  return absl::StrCat(field.is_extension() ? "extension: " : "", label, type_name(field), " ", Str(field.name()), " = ",
                      field.number());
}

void SetDefault(const pb::FieldDescriptor& field, FieldSchema& out) {
  // The first value of a closed enum is the default of its fields, whatever its number.
  out.has_default = field.has_default_value() ||
                    (field.enum_type() != nullptr && !field.is_repeated() && field.default_value_enum()->number() != 0);
  out.default_bits = 0;
  if (!out.has_default) return;
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      out.default_bits = static_cast<uint64_t>(static_cast<int64_t>(field.default_value_int32()));
      break;
    case pb::FieldDescriptor::CPPTYPE_INT64:
      out.default_bits = static_cast<uint64_t>(field.default_value_int64());
      break;
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      out.default_bits = field.default_value_uint32();
      break;
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      out.default_bits = field.default_value_uint64();
      break;
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      out.default_bits = std::bit_cast<uint64_t>(field.default_value_double());
      break;
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      out.default_bits = std::bit_cast<uint32_t>(field.default_value_float());
      break;
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      out.default_bits = field.default_value_bool() ? 1 : 0;
      break;
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      out.default_bits = static_cast<uint64_t>(static_cast<int64_t>(field.default_value_enum()->number()));
      break;
    case pb::FieldDescriptor::CPPTYPE_STRING:
      out.default_text = Str(field.default_value_string());
      break;
    case pb::FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
}

}  // namespace

class Schema::Builder {
 public:
  Builder(Schema& schema, const std::vector<const pb::FileDescriptor*>& files, SchemaOptions options)
      : schema_(schema), options_(options) {
    generated_.insert(files.begin(), files.end());
    for (const pb::FileDescriptor* file : files) {
      if (options_.extensions) CollectExtensions(*file);
    }
    for (const pb::FileDescriptor* file : files) GetFile(file);
    for (const pb::FileDescriptor* file : files) BuildFile(*file);
    ReadMessages();
    Annotate();
    PropagateRequired();
  }

 private:
  void CollectExtensions(const pb::FileDescriptor& file) {
    if (!visited_.insert(&file).second) return;
    for (int i = 0; i < file.dependency_count(); ++i) CollectExtensions(*file.dependency(i));
    for (int i = 0; i < file.extension_count(); ++i) AddExtension(*file.extension(i));
    for (int i = 0; i < file.message_type_count(); ++i) CollectExtensions(*file.message_type(i));
  }
  void CollectExtensions(const pb::Descriptor& message) {
    for (int i = 0; i < message.extension_count(); ++i) AddExtension(*message.extension(i));
    for (int i = 0; i < message.nested_type_count(); ++i) CollectExtensions(*message.nested_type(i));
  }
  void AddExtension(const pb::FieldDescriptor& extension) {
    const pb::FileDescriptor* extended = extension.containing_type()->file();
    extensions_[extension.containing_type()].push_back(&extension);
    if (generated_.count(extension.file()) == 0 || generated_.count(extended) != 0) return;
    if (Str(extended->name()) == "google/protobuf/descriptor.proto") return;
    pending_warnings_.push_back(&extension);
  }

  File* GetFile(const pb::FileDescriptor* descriptor) {
    std::unique_ptr<File>& file = schema_.files_[descriptor];
    if (file != nullptr) return file.get();
    file = std::make_unique<File>();
    file->name = Str(descriptor->name());
    file->package = Str(descriptor->package());
    file->generated = generated_.count(descriptor) != 0;
    for (int i = 0; i < descriptor->dependency_count(); ++i)
      file->dependencies.push_back(Str(descriptor->dependency(i)->name()));
    for (int i = 0; i < descriptor->public_dependency_count(); ++i) {
      file->public_dependencies.push_back(Str(descriptor->public_dependency(i)->name()));
    }
    return file.get();
  }

  void BuildFile(const pb::FileDescriptor& descriptor) {
    File& file = *GetFile(&descriptor);
    for (int i = 0; i < descriptor.enum_type_count(); ++i) file.enums.push_back(GetEnum(descriptor.enum_type(i)));
    for (int i = 0; i < descriptor.message_type_count(); ++i) BuildMessage(*descriptor.message_type(i), file);
  }

  void BuildMessage(const pb::Descriptor& descriptor, File& file) {
    file.messages.push_back(GetMessage(&descriptor));
    for (int i = 0; i < descriptor.enum_type_count(); ++i) file.enums.push_back(GetEnum(descriptor.enum_type(i)));
    for (int i = 0; i < descriptor.nested_type_count(); ++i) BuildMessage(*descriptor.nested_type(i), file);
  }

  const EnumSchema* GetEnum(const pb::EnumDescriptor* descriptor) {
    std::unique_ptr<EnumSchema>& enumeration = schema_.enums_[descriptor];
    if (enumeration != nullptr) return enumeration.get();
    enumeration = std::make_unique<EnumSchema>();
    if (options_.annotations) CheckTypeAnnotations(*descriptor, schema_.problems_);
    enumeration->file = GetFile(descriptor->file());
    enumeration->full_name = Str(descriptor->full_name());
    enumeration->nested_name = NestedName(enumeration->full_name, enumeration->file->package);
    for (int i = 0; i < descriptor->value_count(); ++i) {
      enumeration->values.push_back({descriptor->value(i)->number(), Str(descriptor->value(i)->name())});
    }
    auto& values = enumeration->values;
    std::set<int32_t> numbers;
    for (const EnumSchema::Value& value : values) {
      if (!numbers.insert(value.number).second) enumeration->aliases.push_back(value);
    }
    std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    values.erase(std::unique(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.number == b.number; }),
                 values.end());
    return enumeration.get();
  }

  MessageSchema* GetMessage(const pb::Descriptor* descriptor) {
    std::unique_ptr<MessageSchema>& slot = schema_.messages_[descriptor];
    if (slot != nullptr) return slot.get();
    slot = std::make_unique<MessageSchema>();
    MessageSchema* message = slot.get();
    message->file = GetFile(descriptor->file());
    message->full_name = Str(descriptor->full_name());
    message->nested_name = NestedName(message->full_name, message->file->package);
    message->map_entry = descriptor->options().map_entry();
    message->message_set = descriptor->options().message_set_wire_format();
    message->well_known = WellKnownOf(*descriptor);
    unread_.push_back({descriptor, message});
    return message;
  }

  // Types may contain each other in long chains, so they are read in a loop, without recursion.
  void ReadMessages() {
    while (!unread_.empty()) {
      const auto [descriptor, message] = unread_.back();
      unread_.pop_back();
      ReadMessage(descriptor, message);
    }
  }

  void ReadMessage(const pb::Descriptor* descriptor, MessageSchema* message) {
    for (int i = 0; i < descriptor->real_oneof_decl_count(); ++i) {
      message->oneofs.push_back({Str(descriptor->oneof_decl(i)->name()), ""});
    }
    std::vector<const pb::FieldDescriptor*> fields;
    for (int i = 0; i < descriptor->field_count(); ++i) fields.push_back(descriptor->field(i));
    if (message->file->generated) {
      for (const pb::FieldDescriptor* extension : extensions_[descriptor]) {
        fields.push_back(extension);
        AddLaterDependency(*extension, descriptor->file());
      }
    }
    std::sort(fields.begin(), fields.end(), [](const auto* a, const auto* b) { return a->number() < b->number(); });
    for (const pb::FieldDescriptor* field : fields) message->fields.push_back(BuildField(*field, message->map_entry));
    SeparateJsonNames(*message);
    if (!options_.annotations) return;
    CheckTypeAnnotations(*descriptor, schema_.problems_);
    for (size_t i = 0; i < fields.size(); ++i) {
      if (HasAnnotations(*fields[i])) annotated_.push_back({fields[i], message, &message->fields[i], &message->fields[i]});
    }
  }

  void Annotate() {
    for (AnnotatedField& field : annotated_) {
      if (field.descriptor->is_map()) field.value = &schema_.messages_.at(field.descriptor->message_type())->fields[1];
    }
    ApplyAnnotations(annotated_, schema_.problems_);
    for (auto& [descriptor, message] : schema_.messages_) NameOneofCases(*message);
    CheckColumns(annotated_, schema_.problems_);
    std::sort(schema_.problems_.begin(), schema_.problems_.end(),
              [](const Problem& a, const Problem& b) { return std::tie(a.full_name, a.text) < std::tie(b.full_name, b.text); });
  }

  static void NameOneofCases(MessageSchema& message) {
    if (message.oneofs.empty()) return;
    std::set<std::string> names;
    for (const FieldSchema& field : message.fields) {
      names.insert(field.extension ? absl::StrCat("[", field.name, "]") : field.name);
      names.insert(field.column_name);
    }
    for (Oneof& oneof : message.oneofs) {
      oneof.case_name = oneof.name + "_case";
      while (!names.insert(oneof.case_name).second) oneof.case_name += '_';
    }
  }

  static std::string NameInJson(const FieldSchema& field) {
    if (field.extension) return absl::StrCat("[", field.name, "]");
    return field.json_name.empty() ? plan::JsonNameOf(field.name) : field.json_name;
  }

  // Fields may share a name in JSON: shotType and shot_type of proto2, or two fields with the same json_name. Such fields are
  // written with their names in the .proto file, which are unique, so that no JSON object has a name twice. A name that a field
  // gets may in turn be the JSON name of another field, which then gets its own name, too.
  static void SeparateJsonNames(MessageSchema& message) {
    std::unordered_map<std::string, std::vector<FieldSchema*>> fields_by_name;
    std::vector<std::string> shared;  // names that more than one field has
    const auto add = [&](FieldSchema& field) {
      std::string name = NameInJson(field);
      std::vector<FieldSchema*>& fields = fields_by_name[name];
      fields.push_back(&field);
      if (fields.size() == 2) shared.push_back(std::move(name));
    };
    for (FieldSchema& field : message.fields) add(field);
    while (!shared.empty()) {
      const std::string name = std::move(shared.back());
      shared.pop_back();
      for (FieldSchema* const field : std::exchange(fields_by_name[name], {})) {
        const bool is_own = field->extension || field->name == name;
        if (!is_own) field->json_name = plan::JsonNameOf(field->name) == field->name ? "" : field->name;
        add(*field);
      }
    }
  }

  void AddLaterDependency(const pb::FieldDescriptor& extension, const pb::FileDescriptor* extended) {
    if (extension.file() == extended) return;
    File& file = *GetFile(extended);
    const auto add = [&](const pb::FileDescriptor* other) {
      if (other == extended) return;
      file.later_dependencies.insert(Str(other->name()));
    };
    if (extension.message_type() != nullptr) add(extension.message_type()->file());
    if (extension.enum_type() != nullptr) add(extension.enum_type()->file());
  }

  FieldSchema BuildField(const pb::FieldDescriptor& descriptor, bool in_map_entry) {
    FieldSchema field;
    field.extension = descriptor.is_extension();
    field.name = Str(field.extension ? descriptor.full_name() : descriptor.name());
    field.declaration = Declaration(descriptor);
    const std::string json_name = Str(descriptor.json_name());
    if (!field.extension && json_name != plan::JsonNameOf(field.name)) field.json_name = json_name;
    field.number = descriptor.number();
    field.kind = static_cast<plan::Kind>(descriptor.type());
    field.cardinality = descriptor.is_map()        ? plan::Cardinality::kMap
                        : descriptor.is_repeated() ? plan::Cardinality::kRepeated
                                                   : plan::Cardinality::kSingular;
    // An entry without a key or value has the default key or value, so readers always see both.
    field.presence = descriptor.is_required()                     ? plan::Presence::kRequired
                     : descriptor.has_presence() && !in_map_entry ? plan::Presence::kExplicit
                                                                  : plan::Presence::kImplicit;
    field.packed = descriptor.is_packed();
    field.validate_utf8 = ValidatesUtf8(descriptor);
    // Same as libprotobuf: an enum of a proto3 file is open, but a field of a proto2 message treats it as closed.
    field.closed_enum = descriptor.enum_type() != nullptr && IsClosed(descriptor);
    const pb::OneofDescriptor* oneof = RealOneof(descriptor);
    field.oneof = oneof == nullptr ? -1 : oneof->index();
    field.message = descriptor.message_type() == nullptr ? nullptr : GetMessage(descriptor.message_type());
    field.enumeration = descriptor.enum_type() == nullptr ? nullptr : GetEnum(descriptor.enum_type());
    SetDefault(descriptor, field);
    return field;
  }

  // A type reaches a required field if it has one, or if a type of its fields reaches one. Types may contain each other.
  void PropagateRequired() {
    std::unordered_map<const MessageSchema*, std::vector<MessageSchema*>> holders;
    std::vector<MessageSchema*> reaching;
    for (auto& [descriptor, message] : schema_.messages_) {
      for (const FieldSchema& field : message->fields) {
        message->reaches_required = message->reaches_required || field.presence == plan::Presence::kRequired;
        if (field.message != nullptr) holders[field.message].push_back(message.get());
      }
      if (message->reaches_required) reaching.push_back(message.get());
    }
    while (!reaching.empty()) {
      const MessageSchema* const message = reaching.back();
      reaching.pop_back();
      for (MessageSchema* const holder : holders[message]) {
        if (holder->reaches_required) continue;
        holder->reaches_required = true;
        reaching.push_back(holder);
      }
    }
    for (const pb::FieldDescriptor* extension : pending_warnings_) {
      schema_.warnings_.push_back(absl::StrCat(
          Str(extension->file()->name()), ": extension ", Str(extension->full_name()), " of ",
          Str(extension->containing_type()->full_name()),
          " will be an unknown field: the decoder of that message is generated in another run; pass ",
          Str(extension->containing_type()->file()->name()), " and ", Str(extension->file()->name()), " to one protoc run"));
    }
  }

  Schema& schema_;
  const SchemaOptions options_;
  std::set<const pb::FileDescriptor*> generated_;
  std::set<const pb::FileDescriptor*> visited_;
  std::unordered_map<const pb::Descriptor*, std::vector<const pb::FieldDescriptor*>> extensions_;
  std::vector<std::pair<const pb::Descriptor*, MessageSchema*>> unread_;
  std::vector<AnnotatedField> annotated_;
  std::vector<const pb::FieldDescriptor*> pending_warnings_;
};

std::string Problem::Text() const { return absl::StrCat(location, location.empty() ? "" : ": ", full_name, ": ", text); }

Schema::Schema(const std::vector<const pb::FileDescriptor*>& files, SchemaOptions options) { Builder(*this, files, options); }

}  // namespace structtensor::schema
