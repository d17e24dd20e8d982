#include "structtensor/compiler/plan/generated_file.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::compiler {

std::string CppType(plan::Element element) { return std::string(plan::FactsOf(element).cpp_type); }

std::string Qualified(const schema::File& file, const std::string& name) {
  return absl::StrCat(QualifiedNamespace(file), "::", name);
}

namespace {

// After a field, generated code compares the next tag with this many expected fields before it reaches the switch.
constexpr size_t kExpectedFields = 2;
// With more fields than this (a oneof with hundreds of members, for example), the guess is wrong too often to save time.
constexpr size_t kMaxNarrowFields = 60;

std::string QualifiedInternal(const schema::File& file, const std::string& name) {
  return absl::StrCat(QualifiedNamespace(file), "::", ToAbsl(kInternalNamespace), "::", name);
}

class GeneratedMessageBuilder {
 public:
  GeneratedMessageBuilder(const schema::MessageSchema& message, NameTable& names) : names_(names) {
    generated_.message = &message;
    generated_.names = names.Of(message);
    // Names that the accessor classes already have, or use without a scope.
    members_ = {"nrows",
                "node",
                "plan",
                "has",
                "validity",
                "value_rowids",
                "row_splits",
                "unknown_fields",
                "decoded",
                "structured_tensor",
                "rows",
                "Row",
                "SingularAt",
                "RepeatedAt",
                "node_base",
                generated_.names.columns,
                generated_.names.row,
                "MessageColumns",
                "SingularMessage",
                "RepeatedMessage",
                "Batch",
                "columns",
                "int32_t",
                "int64_t",
                "uint32_t",
                "uint64_t"};
  }

  GeneratedMessage Build() {
    const std::unordered_set<std::string> reserved = members_;
    for (const schema::FieldSchema& field : generated_.message->fields) AddColumn(field);
    for (GeneratedColumn& column : generated_.columns) {
      if (column.field->oneof >= 0) column.oneof_case = generated_.columns.size() + static_cast<size_t>(column.field->oneof);
    }
    for (const schema::Oneof& oneof : generated_.message->oneofs) AddOneofCase(oneof);
    SkipOneofCases();
    AddPresenceBits();
    AddSteps();
    generated_.wide = generated_.message->fields.size() > kMaxNarrowFields;
    if (!generated_.wide) GuessNext();
    ReadByTable();
    if (!generated_.message->map_entry) generated_.row = MakeRowClass(generated_, names_, reserved);
    return std::move(generated_);
  }

 private:
  void AddColumn(const schema::FieldSchema& field) {
    GeneratedColumn column;
    column.field = &field;
    column.name = field.extension ? absl::StrCat("[", field.name, "]") : field.name;
    column.member = UniqueIdentifier(field.name, members_);
    column.comment = field.declaration;
    column.number = field.number;
    column.kind = field.kind;
    column.element = plan::ElementOf(field.kind);
    column.cardinality = field.cardinality;
    column.presence = field.presence;
    column.skipped = field.skip;
    plan::FieldAnnotations annotations = field.annotations;
    annotations.column_name = field.column_name;
    annotations.prefix = field.prefix;
    annotations.json_name = field.json_name;
    if (annotations != plan::FieldAnnotations()) column.annotations = annotations;
    const bool repeated = field.cardinality != plan::Cardinality::kSingular;
    if (field.message != nullptr) {
      const MessageNames& names = names_.Of(*field.message);
      column.message_plan = QualifiedInternal(*field.message->file, names.plan);
      column.decode_function = QualifiedInternal(*field.message->file, names.decode);
      column.encode_function = QualifiedInternal(*field.message->file, names.encode);
      column.accessor_type = absl::StrCat("::structtensor::", repeated ? "RepeatedMessage<" : "SingularMessage<",
                                          Qualified(*field.message->file, names.columns), ">");
    } else {
      column.accessor_type =
          absl::StrCat("::structtensor::", repeated ? "RepeatedColumn<" : "SingularColumn<", CppType(column.element), ">");
    }
    if (field.enumeration != nullptr) {
      column.enum_plan = QualifiedInternal(*field.enumeration->file, EnumPlanName(*field.enumeration));
    }
    generated_.columns.push_back(std::move(column));
  }

  void AddOneofCase(const schema::Oneof& oneof) {
    GeneratedColumn column;
    column.field = nullptr;
    column.name = oneof.case_name;
    column.member = UniqueIdentifier(column.name, members_);
    column.accessor_type = "::structtensor::SingularColumn<int32_t>";
    column.comment = absl::StrCat("oneof ", oneof.name, ": the field number of the member that is set, or 0 if none is set");
    column.number = 0;
    column.kind = plan::Kind::kInt32;
    column.element = plan::Element::kInt32;
    column.cardinality = plan::Cardinality::kOneofCase;
    column.presence = plan::Presence::kImplicit;
    generated_.columns.push_back(std::move(column));
  }

  // If every member of a oneof is skipped, the oneof's case is skipped too.
  void SkipOneofCases() {
    const size_t fields = generated_.message->fields.size();
    for (size_t i = fields; i < generated_.columns.size(); ++i) {
      generated_.columns[i].skipped =
          std::all_of(generated_.columns.begin(), generated_.columns.begin() + static_cast<ptrdiff_t>(fields),
                      [i](const GeneratedColumn& column) { return column.skipped || column.oneof_case != i; });
    }
  }

  // Gives singular columns their bits, in the order of the columns. A MessageSet has no bits: the runtime reads its fields and
  // appends their values.
  void AddPresenceBits() {
    constexpr int kWordBits = 64;
    const auto is_singular = [](const GeneratedColumn& column) { return column.cardinality == plan::Cardinality::kSingular; };
    const auto count = std::count_if(generated_.columns.begin(), generated_.columns.end(), is_singular);
    generated_.presence_words = count > 0 && count <= kWordBits && !generated_.message->message_set;
    if (!generated_.presence_words) return;
    int bit = 0;
    for (GeneratedColumn& column : generated_.columns) {
      if (is_singular(column)) column.presence_bit = bit++;
    }
  }

  // The steps of the decode and the encode function, from the plan that the engine would follow.
  void AddSteps() {
    std::deque<std::vector<plan::FieldPlan>> entry_fields;
    std::deque<plan::MessagePlan> entries;
    std::vector<plan::FieldPlan> fields;
    for (size_t i = 0; i < generated_.columns.size(); ++i) {
      plan::FieldPlan& field = fields.emplace_back(FieldPlanOf(generated_, i));
      if (field.cardinality != plan::Cardinality::kMap) continue;
      std::vector<plan::FieldPlan>& key_and_value = entry_fields.emplace_back();
      for (const schema::FieldSchema& of_entry : generated_.columns[i].field->message->fields) {
        key_and_value.emplace_back().closed_enum = of_entry.closed_enum;
      }
      field.message = &entries.emplace_back(plan::MessagePlan{.full_name = "", .fields = key_and_value});
    }
    const plan::MessagePlan message{.full_name = generated_.message->full_name,
                                    .fields = fields,
                                    .map_entry = generated_.message->map_entry,
                                    .message_set = generated_.message->message_set,
                                    .presence_words = generated_.presence_words};
    for (const plan::ReadStep& step : plan::ReadSteps(message)) generated_.cases.emplace_back().step = step;
    generated_.write_steps = plan::WriteSteps(message);
  }

  // Writers write fields in the order of their numbers. So a field is followed by the same field (if it is repeated) or by one
  // of the next fields. Members of the same oneof exclude each other.
  void GuessNext() {
    std::vector<TagCase>& cases = generated_.cases;
    for (size_t i = 0; i < cases.size(); ++i) {
      const GeneratedColumn& column = generated_.columns[cases[i].step.field];
      if (column.field->cardinality != plan::Cardinality::kSingular) Expect(i, i);
      size_t expected_fields = 0;
      size_t last_column = cases[i].step.field;
      for (size_t next = i + 1; next < cases.size() && expected_fields < kExpectedFields; ++next) {
        const bool second_form = cases[next].step.field == last_column;
        last_column = cases[next].step.field;
        if (second_form) continue;
        const int oneof = column.field->oneof;
        if (oneof >= 0 && generated_.columns[cases[next].step.field].field->oneof == oneof) continue;
        Expect(i, next);
        ++expected_fields;
      }
    }
  }

  // Chooses the fields that the runtime reads by table: singular scalars and strings of wide types without presence words,
  // outside oneofs, with tags of at most two bytes.
  void ReadByTable() {
    if (generated_.presence_words || !generated_.wide || generated_.columns.size() > UINT16_MAX) return;
    for (TagCase& tag_case : generated_.cases) {
      const plan::ReadStep& step = tag_case.step;
      const bool is_scalar =
          step.reads == plan::Reads::kVarint || step.reads == plan::Reads::kFixed || step.reads == plan::Reads::kText;
      tag_case.by_table = is_scalar && step.form == plan::ReadForm::kSingular && tag_case.tag_size_bytes() <= 2;
    }
  }

  void Expect(size_t from, size_t to) {
    constexpr uint32_t kMaxComparedTagBytes = 3;
    if (generated_.cases[to].tag_size_bytes() > kMaxComparedTagBytes) return;
    generated_.cases[from].expected_next.push_back(to);
    TagCase& target = generated_.cases[to];
    if (!target.label.empty()) return;
    const bool packed = target.step.form == plan::ReadForm::kPacked;
    target.label = absl::StrCat(packed ? "unpack_" : "read_", generated_.columns[target.step.field].member);
  }

  GeneratedMessage generated_;
  NameTable& names_;
  std::unordered_set<std::string> members_;
};

// A call costs about as much as reading three small fields, and most messages in data are small. So a type with few fields and
// without submessages is decoded inline in the messages that contain it, and so are map entries, unless many fields have this
// type.
constexpr size_t kMaxInlineFields = 4;
constexpr size_t kMaxInlinePlaces = 3;

bool IsSmall(const GeneratedMessage& message) {
  if (message.message->map_entry) return true;
  if (message.message->message_set || message.columns.size() > kMaxInlineFields || message.cases.empty()) return false;
  return std::all_of(message.columns.begin(), message.columns.end(),
                     [](const GeneratedColumn& column) { return column.message_plan.empty(); });
}

// Sets what depends on all messages of the file: the numbers of groups, and which messages are decoded inline.
void LinkMessages(std::vector<GeneratedMessage>& messages) {
  std::map<const schema::MessageSchema*, GeneratedMessage*> generated_messages;
  for (GeneratedMessage& message : messages) generated_messages[message.message] = &message;
  std::map<const schema::MessageSchema*, std::vector<GeneratedColumn*>> places;
  for (GeneratedMessage& message : messages) {
    for (GeneratedColumn& column : message.columns) {
      if (column.field == nullptr || !generated_messages.contains(column.field->message)) continue;
      places[column.field->message].push_back(&column);
      if (column.kind == plan::Kind::kGroup)
        generated_messages[column.field->message]->group_number = static_cast<uint32_t>(column.number);
    }
  }
  for (const auto& [message, columns] : places) {
    GeneratedMessage& generated = *generated_messages[message];
    generated.decoded_inline = IsSmall(generated) && columns.size() <= kMaxInlinePlaces;
    if (!generated.decoded_inline) continue;
    for (GeneratedColumn* column : columns) absl::StrAppend(&column->decode_function, "Inline{}");
  }
}

GeneratedEnum MakeGeneratedEnum(const schema::EnumSchema& enumeration, NameTable& names) {
  GeneratedEnum generated = {&enumeration, EnumPlanName(enumeration), names.EnumClass(enumeration), {}};
  std::unordered_set<std::string> taken = {generated.class_name};
  for (const auto* values : {&enumeration.values, &enumeration.aliases}) {
    for (const schema::EnumSchema::Value& value : *values) {
      generated.enumerators.emplace_back(UniqueIdentifier(value.name, taken), value.number);
    }
  }
  return generated;
}

// Names in the order in which they were added first.
class OrderedNames {
 public:
  void Add(const std::string& name) {
    if (seen_.insert(name).second) names_.push_back(name);
  }
  std::vector<std::string> Take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

plan::FieldPlan FieldPlanOf(const GeneratedMessage& message, size_t index) {
  const GeneratedColumn& column = message.columns[index];
  plan::FieldPlan field;
  field.name = column.name;
  field.number = column.number;
  field.kind = column.kind;
  field.element = column.element;
  field.cardinality = column.cardinality;
  field.presence = column.presence;
  field.layout = plan::LayoutOf(column.cardinality, column.element, message.presence_words);
  if (column.oneof_case.has_value()) field.oneof_case = static_cast<int32_t>(*column.oneof_case);
  field.presence_bit = column.presence_bit;
  field.skipped = column.skipped;
  if (column.annotations.has_value()) field.annotations = &*column.annotations;
  if (column.field == nullptr) return field;
  field.packed = column.field->packed;
  field.validate_utf8 = column.field->validate_utf8;
  field.closed_enum = column.field->closed_enum;
  field.default_value = {column.field->has_default, column.field->default_bits, column.field->default_text};
  return field;
}

GeneratedFile MakeGeneratedFile(const schema::File& file, NameTable& names) {
  GeneratedFile generated;
  generated.file = &file;
  generated.namespaces = NamespaceParts(file);
  OrderedNames header_includes;
  OrderedNames source_includes;
  OrderedNames forward_declared;
  OrderedNames forward_enums;
  for (const std::string& dependency : file.dependencies) header_includes.Add(HeaderName(dependency));
  for (const std::string& dependency : file.later_dependencies) source_includes.Add(HeaderName(dependency));
  for (const schema::EnumSchema* enumeration : file.enums) generated.enums.push_back(MakeGeneratedEnum(*enumeration, names));
  for (const schema::MessageSchema* message : file.messages) {
    generated.messages.push_back(GeneratedMessageBuilder(*message, names).Build());
    for (const schema::FieldSchema& field : message->fields) {
      if (!field.extension) continue;
      if (field.enumeration != nullptr && field.enumeration->file != &file)
        forward_enums.Add(names.QualifiedEnumClass(*field.enumeration));
      if (field.message == nullptr || field.message->file == &file) continue;
      forward_declared.Add(Qualified(*field.message->file, names.Of(*field.message).columns));
      forward_declared.Add(Qualified(*field.message->file, names.Of(*field.message).row));
      forward_declared.Add(Qualified(*field.message->file, names.Of(*field.message).row_builder));
    }
  }
  generated.header_includes = header_includes.Take();
  generated.source_includes = source_includes.Take();
  generated.forward_declared = forward_declared.Take();
  generated.forward_enums = forward_enums.Take();
  LinkMessages(generated.messages);
  return generated;
}

}  // namespace structtensor::compiler
