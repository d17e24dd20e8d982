// The classes that read and build a batch row by row.
#include <string>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/compiler/plan/generated_file.h"

namespace structtensor::compiler {
namespace {

// The C++ type of one value of `field` in a row.
std::string ValueType(const schema::FieldSchema& field, NameTable& names) {
  if (field.message != nullptr) {
    switch (field.message->well_known) {
      case plan::WellKnown::kTimestamp:
        return "::absl::Time";
      case plan::WellKnown::kDuration:
        return "::absl::Duration";
      case plan::WellKnown::kNone:
      case plan::WellKnown::kWrapper:
        return Qualified(*field.message->file, names.Of(*field.message).row);
    }
  }
  if (field.enumeration != nullptr) return names.QualifiedEnumClass(*field.enumeration);
  return CppType(plan::ElementOf(field.kind));
}

bool IsTime(const schema::MessageSchema& message) {
  return message.well_known == plan::WellKnown::kTimestamp || message.well_known == plan::WellKnown::kDuration;
}

class RowPlanner {
 public:
  RowPlanner(const GeneratedMessage& message, NameTable& names, std::unordered_set<std::string> reserved)
      : message_(message), names_(names), members_(std::move(reserved)) {
    members_.insert({"row_index", "MessageRow"});
    row_.reader =
        message.columns.size() <= plan::kMaxNarrowColumns ? "::structtensor::RowReader" : "::structtensor::WideRowReader";
  }

  RowClass Plan() {
    for (size_t i = 0; i < message_.columns.size(); ++i) {
      RowAccessor accessor;
      accessor.column = i;
      const GeneratedColumn& column = message_.columns[i];
      accessor.member = UniqueIdentifier(column.field == nullptr ? column.name : column.field->name, members_);
      row_.accessors.push_back(std::move(accessor));
    }
    for (RowAccessor& accessor : row_.accessors) {
      const GeneratedColumn& column = message_.columns[accessor.column];
      if (column.field == nullptr) {
        ReadOneofCase(accessor);
      } else {
        Read(*column.field, accessor);
      }
    }
    for (const GeneratedColumn& column : message_.columns) {
      // A field that an annotation leaves out has no column to write to.
      if (column.field != nullptr && !column.skipped) Write(*column.field);
    }
    return std::move(row_);
  }

 private:
  void Read(const schema::FieldSchema& field, RowAccessor& accessor) {
    const std::string value = ValueType(field, names_);
    const bool map = field.cardinality == plan::Cardinality::kMap;
    const schema::MessageSchema* message = map ? field.message->fields[1].message : field.message;
    if (message != nullptr && IsTime(*message)) row_.uses_times = true;
    if (map) {
      const std::string types =
          absl::StrCat(ValueType(field.message->fields[0], names_), ", ", ValueType(field.message->fields[1], names_));
      Returns(accessor, absl::StrCat("::structtensor::MapRange<", types, ">"), Reader("Map", types));
    } else if (field.cardinality == plan::Cardinality::kRepeated) {
      if (field.message == nullptr && field.enumeration == nullptr && value != "std::string_view") {
        Returns(accessor, absl::StrCat("std::span<const ", value, ">"), Reader("Span", value));
      } else {
        const bool rows = field.message != nullptr && !IsTime(*field.message);
        Returns(accessor, absl::StrCat("::structtensor::ValueRange<", value, ">"),
                Reader(rows ? "MessageRange" : "Range", value));
      }
    } else {
      if (field.presence != plan::Presence::kImplicit) {
        accessor.has_member = UniqueIdentifier("has_" + field.name, members_);
      }
      ReadSingular(field, value, accessor);
    }
  }

  void ReadSingular(const schema::FieldSchema& field, const std::string& value, RowAccessor& accessor) {
    Returns(accessor, value, Reader(field.has_default ? "GetOrDefault" : "Get", value));
    if (field.message == nullptr || IsTime(*field.message)) return;
    accessor.place = PlaceOf(field);
  }

  // Where to define a function that returns an object for the message of `field`.
  RowAccessor::Place PlaceOf(const schema::FieldSchema& field) const {
    // The header of an extension's type may include this header.
    const bool declared_elsewhere = field.extension && field.message->file != message_.message->file;
    return declared_elsewhere ? RowAccessor::Place::kInSource : RowAccessor::Place::kAfterClasses;
  }

  void Write(const schema::FieldSchema& field) {
    const std::string index = absl::StrCat(&field - message_.message->fields.data());
    const bool singular = field.cardinality == plan::Cardinality::kSingular;
    const std::string value = ValueType(field, names_);
    if (field.cardinality == plan::Cardinality::kMap) {
      WriteEntry(field, index);
    } else if (HasRowBuilder(field)) {
      const std::string builder = RowBuilderOf(field);
      row_.setters.push_back({builder, Setter(singular ? "mutable_" : "add_", field.name) + "()",
                              absl::StrCat("return ::structtensor::RowWriter::As<", builder, ">(::structtensor::RowWriter::",
                                           singular ? "Mutable" : "AddMessage", "(*this, ", index, "));"),
                              PlaceOf(field)});
    } else {
      const std::string name = Setter(singular ? "set_" : "add_", field.name);
      row_.setters.push_back({"void", absl::StrCat(name, "(", value, " value)"),
                              absl::StrCat("::structtensor::generated_api_internal::", singular ? "SetField<" : "AddElement<",
                                           value, ">(*this, ", index, ", value);")});
      if (singular || field.message != nullptr || field.enumeration != nullptr || value == "std::string_view") return;
      row_.setters.push_back({"void", absl::StrCat(name, "(std::span<const ", value, "> values)"),
                              absl::StrCat("::structtensor::RowWriter::Add(*this, ", index, ", values);")});
    }
  }

  void WriteEntry(const schema::FieldSchema& field, const std::string& index) {
    const schema::FieldSchema& value_field = field.message->fields[1];
    const std::string key = ValueType(field.message->fields[0], names_);
    const std::string name = Setter("add_", field.name);
    if (HasRowBuilder(value_field)) {
      const std::string builder = RowBuilderOf(value_field);
      row_.setters.push_back(
          {builder, absl::StrCat(name, "(", key, " key)"),
           absl::StrCat("return ::structtensor::RowWriter::As<", builder, ">(::structtensor::generated_api_internal::AddEntry<",
                        key, ">(*this, ", index, ", key));"),
           PlaceOf(field)});
      return;
    }
    const std::string value = ValueType(value_field, names_);
    row_.setters.push_back({"void", absl::StrCat(name, "(", key, " key, ", value, " value)"),
                            absl::StrCat("::structtensor::generated_api_internal::AddEntry<", key, ", ", value, ">(*this, ",
                                         index, ", key, value);")});
  }

  static bool HasRowBuilder(const schema::FieldSchema& field) { return field.message != nullptr && !IsTime(*field.message); }
  std::string RowBuilderOf(const schema::FieldSchema& field) {
    return Qualified(*field.message->file, names_.Of(*field.message).row_builder);
  }
  std::string Setter(std::string_view verb, const std::string& name) {
    return UniqueIdentifier(absl::StrCat(std::string(verb), name), setters_);
  }

  void ReadOneofCase(RowAccessor& accessor) {
    const size_t oneof = accessor.column - message_.message->fields.size();
    OneofCaseEnum cases;
    cases.name = UniqueIdentifier(CamelCase(message_.message->oneofs[oneof].name) + "Case", members_);
    std::unordered_set<std::string> taken = {"kNotSet"};
    for (const schema::FieldSchema& field : message_.message->fields) {
      if (field.oneof != static_cast<int>(oneof)) continue;
      cases.members.emplace_back(UniqueIdentifier("k" + CamelCase(field.name), taken), field.number);
    }
    Returns(accessor, cases.name, Reader("Get", cases.name));
    row_.oneof_cases.push_back(std::move(cases));
  }

  std::string Reader(std::string_view function, std::string_view type) const {
    return absl::StrCat(row_.reader, "::", std::string(function), "<", std::string(type), ">");
  }

  static void Returns(RowAccessor& accessor, std::string type, std::string function) {
    accessor.type = std::move(type);
    accessor.function = std::move(function);
  }

  const GeneratedMessage& message_;
  NameTable& names_;
  std::unordered_set<std::string> members_;
  std::unordered_set<std::string> setters_;
  RowClass row_;
};

}  // namespace

RowClass MakeRowClass(const GeneratedMessage& message, NameTable& names, std::unordered_set<std::string> reserved) {
  return RowPlanner(message, names, std::move(reserved)).Plan();
}

}  // namespace structtensor::compiler
