#include "oracle.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <utility>

#include "column_compare.h"
#include "log_silencer.h"

namespace structtensor::testing {

namespace pb = google::protobuf;

OracleSchema::OracleSchema(const std::string& descriptor_set_path) {
  pb::FileDescriptorSet files;
  std::ifstream in(descriptor_set_path, std::ios::binary);
  if (!in || !files.ParseFromIstream(&in)) {
    std::cerr << descriptor_set_path << ": not there, or not a FileDescriptorSet\n";
    std::abort();
  }
  for (pb::FileDescriptorProto& file : *files.mutable_file()) {
    if (GOOGLE_PROTOBUF_VERSION < 5027000 && file.syntax() != "proto3") {
      for (pb::DescriptorProto& type : *file.mutable_message_type()) ReadClosedEnumsInMapsAsNumbers(file.package(), &type);
    }
    if (pool_.BuildFile(file) == nullptr) {
      std::cerr << descriptor_set_path << ": cannot build " << file.name() << "\n";
      std::abort();
    }
  }
}

void OracleSchema::ReadClosedEnumsInMapsAsNumbers(const std::string& scope, pb::DescriptorProto* type) {
  const std::string full_name = scope.empty() ? type->name() : scope + "." + type->name();
  for (pb::DescriptorProto& nested : *type->mutable_nested_type()) ReadClosedEnumsInMapsAsNumbers(full_name, &nested);
  if (!type->options().map_entry() || type->field(1).type() != pb::FieldDescriptorProto::TYPE_ENUM) return;
  pb::FieldDescriptorProto* value = type->mutable_field(1);
  enum_of_map_entry_[full_name] = value->type_name().substr(1);
  value->set_type(pb::FieldDescriptorProto::TYPE_INT32);
  value->clear_type_name();
}

bool OracleSchema::KeepsMapEntry(const pb::Message& entry) const {
  const auto it = enum_of_map_entry_.find(std::string(entry.GetDescriptor()->full_name()));
  if (it == enum_of_map_entry_.end()) return true;
  const int number = entry.GetReflection()->GetInt32(entry, entry.GetDescriptor()->map_value());
  return pool_.FindEnumTypeByName(it->second)->FindValueByNumber(number) != nullptr;
}

const pb::Descriptor* OracleSchema::Find(const std::string& full_name) const {
  const pb::Descriptor* type = pool_.FindMessageTypeByName(full_name);
  if (type == nullptr) {
    std::cerr << "the descriptor set has no message type " << full_name << "\n";
    std::abort();
  }
  return type;
}

std::unique_ptr<pb::Message> OracleSchema::New(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(factory_.GetPrototype(type)->New());
}

std::vector<ParsedMessage> ParseAll(OracleSchema& schema, const pb::Descriptor* type,
                                    std::span<const std::string_view> messages, bool allow_missing_required) {
  const LogSilencer silencer;
  std::vector<ParsedMessage> parsed;
  for (const std::string_view bytes : messages) {
    ParsedMessage& last = parsed.emplace_back();
    last.message = schema.New(type);
    last.accepted = last.message->ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
                    (allow_missing_required || last.message->IsInitialized());
  }
  return parsed;
}

std::string Difference(OracleSchema& schema, std::span<const pb::Message* const> rows, const DecodedBatch& batch) {
  if (batch.nrows() != static_cast<int64_t>(rows.size())) {
    return "the batch has " + std::to_string(batch.nrows()) + " rows for " + std::to_string(rows.size()) + " messages";
  }
  std::vector<ExpectedRow> expected;
  for (size_t i = 0; i < rows.size(); ++i) expected.push_back({rows[i], static_cast<int64_t>(i)});
  return CompareNode(schema, rows.empty() ? nullptr : rows[0]->GetDescriptor(), expected, batch.root(), "");
}

std::string DecodeAndCompare(OracleSchema& schema, std::span<const ParsedMessage> parsed,
                             std::span<const std::string_view> messages, BatchDecoder& decoder, DecodedBatch* batch) {
  std::vector<MessageError> errors;
  absl::StatusOr<DecodedBatch> decoded = decoder.Decode(messages, &errors);
  if (!decoded.ok()) return "the batch failed: " + decoded.status().ToString();
  if (batch != nullptr) *batch = *decoded;

  std::set<int64_t> refused;
  for (const MessageError& error : errors) refused.insert(error.message_index);
  if (refused.size() != errors.size()) return "a message has more than one error";
  std::vector<const pb::Message*> rows;
  for (size_t i = 0; i < parsed.size(); ++i) {
    const bool ours = refused.count(static_cast<int64_t>(i)) == 0;
    if (ours != parsed[i].accepted) {
      std::string difference = "message " + std::to_string(i) + " is " +
                               (ours ? "accepted, libprotobuf refuses it" : "refused, libprotobuf accepts it");
      for (const MessageError& error : errors) {
        if (error.message_index == static_cast<int64_t>(i)) difference += ": " + error.status.ToString();
      }
      return difference;
    }
    if (parsed[i].accepted) rows.push_back(parsed[i].message.get());
  }
  return Difference(schema, rows, *decoded);
}

}  // namespace structtensor::testing
