#include "oracle.h"

#include <google/protobuf/descriptor.pb.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <utility>

#include "column_compare.h"

namespace structtensor::testing {

namespace pb = google::protobuf;

OracleSchema::OracleSchema(const std::string& descriptor_set_path) {
  pb::FileDescriptorSet files;
  std::ifstream in(descriptor_set_path, std::ios::binary);
  if (!in || !files.ParseFromIstream(&in)) {
    std::cerr << descriptor_set_path << ": not there, or not a FileDescriptorSet\n";
    std::abort();
  }
  for (const pb::FileDescriptorProto& file : files.file()) {
    if (pool_.BuildFile(file) == nullptr) {
      std::cerr << descriptor_set_path << ": cannot build " << file.name() << "\n";
      std::abort();
    }
  }
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

std::vector<ParsedMessage> ParseAll(OracleSchema& schema, const pb::Descriptor* type, std::span<const std::string_view> messages) {
  const pb::LogSilencer silencer;
  std::vector<ParsedMessage> parsed;
  for (const std::string_view bytes : messages) {
    ParsedMessage& last = parsed.emplace_back();
    last.message = schema.New(type);
    last.accepted = last.message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
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

std::string DecodeAndCompare(OracleSchema& schema, std::span<const ParsedMessage> parsed, std::span<const std::string_view> messages,
                             BatchDecoder& decoder, DecodedBatch* batch) {
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
      std::string difference = "message " + std::to_string(i) + " is " + (ours ? "accepted, libprotobuf refuses it" : "refused, libprotobuf accepts it");
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
