// The classes through which a batch is read row by row.
#include <string>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/compiler/plan/decoder_plan.h"

namespace structtensor::compiler {
namespace {

std::string Reader(std::string_view function, std::string_view type) {
  return absl::StrCat("::structtensor::RowReader::", std::string(function), "<", std::string(type), ">");
}

// What one value of `field` is in a row.
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
  if (field.enumeration != nullptr) return QualifiedEnumClass(*field.enumeration);
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
        Returns(accessor, absl::StrCat("::structtensor::ValueRange<", value, ">"), Reader("Range", value));
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
    // The header of an extension's type may include this one.
    const bool declared_elsewhere = field.extension && field.message->file != message_.message->file;
    accessor.place = declared_elsewhere ? RowAccessor::Place::kInSource : RowAccessor::Place::kBehindClasses;
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

  static void Returns(RowAccessor& accessor, std::string type, std::string function) {
    accessor.type = std::move(type);
    accessor.function = std::move(function);
  }

  const GeneratedMessage& message_;
  NameTable& names_;
  std::unordered_set<std::string> members_;
  RowClass row_;
};

}  // namespace

RowClass PlanRow(const GeneratedMessage& message, NameTable& names, std::unordered_set<std::string> reserved) {
  return RowPlanner(message, names, std::move(reserved)).Plan();
}

}  // namespace structtensor::compiler
