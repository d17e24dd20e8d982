// libprotobuf as the oracle: it parses the same bytes, reflection walks its messages, and every column that a decoded batch has
// must be what the walk says. Slow and obvious on purpose.
#ifndef STRUCTTENSOR_TESTS_ORACLE_ORACLE_H_
#define STRUCTTENSOR_TESTS_ORACLE_ORACLE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/core/decode/decoder.h"

namespace structtensor::testing {

// The message types of a FileDescriptorSet file, without code that protoc generated for them.
class OracleSchema {
 public:
  // Dies with a message if the file cannot be read: a test without its schema has nothing to say.
  explicit OracleSchema(const std::string& descriptor_set_path);

  const google::protobuf::DescriptorPool& pool() const { return pool_; }
  const google::protobuf::Descriptor* Find(const std::string& full_name) const;
  std::unique_ptr<google::protobuf::Message> New(const google::protobuf::Descriptor* type);

  // Whether a map entry stays in its map: one whose value is a number that its closed enum does not know becomes an unknown
  // field as a whole. libprotobuf's generated code does so; its reflection puts the default value in the map instead, in 3.21
  // but no more in 27. So with the former the values of such maps are read as int32 here, and judged afterwards.
  bool KeepsMapEntry(const google::protobuf::Message& entry) const;

 private:
  void ReadClosedEnumsInMapsAsNumbers(const std::string& scope, google::protobuf::DescriptorProto* type);

  std::map<std::string, std::string> enum_of_map_entry_;  // full names
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_{&pool_};
};

// A message that libprotobuf has parsed, or refused.
struct ParsedMessage {
  std::unique_ptr<google::protobuf::Message> message;
  bool accepted = false;
};
// With `allow_missing_required`, messages that lack required fields are accepted.
std::vector<ParsedMessage> ParseAll(OracleSchema& schema, const google::protobuf::Descriptor* type,
                                    std::span<const std::string_view> messages, bool allow_missing_required = false);

// Compares a decoded batch, row by row and column by column, with `rows`, the messages it was made from. Returns "" if they are
// equal, else where they first differ: "message 3, field a.b.c: ...".
std::string Difference(OracleSchema& schema, std::span<const google::protobuf::Message* const> rows, const DecodedBatch& batch);

// Decodes `messages` with `decoder`, whose errors must be skipped, and returns "" if it refuses the messages that libprotobuf
// refuses and makes of the others what libprotobuf makes of them; else the first difference. The batch is left in `batch`, if
// not null.
std::string DecodeAndCompare(OracleSchema& schema, std::span<const ParsedMessage> parsed,
                             std::span<const std::string_view> messages, BatchDecoder& decoder, DecodedBatch* batch = nullptr);

// A message of protoc's class for the type if that is linked (structtensor_test_protos_cpp), else a dynamic one. The parser of
// dynamic messages differs in odd corners: that of 3.21 knows no unknown enum values in maps, and keeps duplicate keys.
std::unique_ptr<google::protobuf::Message> ClassOf(OracleSchema& schema, const std::string& full_name);

// All that the message has, unknown fields too, as bytes that are equal if messages are: libprotobuf's deterministic
// serialization.
std::string Canonical(const google::protobuf::Message& message);

// Encodes `batch`, whose rows are the accepted ones of `messages` and whose decoder kept unknown fields. Returns "" if
// libprotobuf parses from what was encoded what it parses from the originals, unknown fields and their order included; else the
// first difference.
std::string EncodeAndCompare(OracleSchema& schema, std::span<const ParsedMessage> parsed,
                             std::span<const std::string_view> messages, const DecodedBatch& batch);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_ORACLE_H_
