#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>
#include <string>

#include "oracle.h"
#include "structtensor/core/encode/encoder.h"

namespace structtensor::testing {

namespace pb = google::protobuf;

std::string Canonical(const pb::Message& message) {
  std::string bytes;
  pb::io::StringOutputStream stream(&bytes);
  pb::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  const bool written = message.SerializePartialToCodedStream(&coded);
  coded.Trim();
  return written ? bytes : "longer than 2 GiB";
}

std::unique_ptr<pb::Message> ClassOf(OracleSchema& schema, const std::string& full_name) {
  const pb::Descriptor* linked = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(full_name);
  if (linked == nullptr) return schema.New(schema.Find(full_name));
  return std::unique_ptr<pb::Message>(pb::MessageFactory::generated_factory()->GetPrototype(linked)->New());
}

namespace {

bool Parse(std::string_view bytes, pb::Message& message) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

std::string DifferenceOf(const pb::Message& prototype, const pb::Message& parsed_by_reflection, std::string_view original,
                         std::string_view again) {
  const std::unique_ptr<pb::Message> expected(prototype.New());
  const std::unique_ptr<pb::Message> found(prototype.New());
  if (!Parse(original, *expected)) return " is refused by protoc's class";
  if (!Parse(again, *found)) return " encoded again is refused by libprotobuf";
  if (Canonical(*expected) == Canonical(*found)) return "";
  // protoc's classes (of 3.21) have a quirk: they read the bool key 2^35 of a map as false. What a dynamic message read and
  // wrote has the key 1.
  const std::unique_ptr<pb::Message> rewritten(prototype.New());
  if (Parse(parsed_by_reflection.SerializePartialAsString(), *rewritten) && Canonical(*rewritten) == Canonical(*found))
    return "";
  return " encoded again is another one; it was\n" + expected->Utf8DebugString() + "and is\n" + found->Utf8DebugString();
}

}  // namespace

std::string EncodeAndCompare(OracleSchema& schema, std::span<const ParsedMessage> parsed,
                             std::span<const std::string_view> messages, const DecodedBatch& batch) {
  const std::string full_name(batch.plan().full_name);
  const absl::StatusOr<EncodedBatch> encoded = BatchEncoder(batch.plan()).Encode(batch.tree());
  if (!encoded.ok()) return "the encoder failed: " + encoded.status().ToString();
  if (static_cast<int64_t>(encoded->size()) != batch.nrows()) {
    return std::to_string(encoded->size()) + " messages were encoded from " + std::to_string(batch.nrows()) + " rows";
  }
  const std::unique_ptr<pb::Message> prototype = ClassOf(schema, full_name);
  size_t row = 0;
  for (size_t i = 0; i < parsed.size(); ++i) {
    if (!parsed[i].accepted) continue;
    const std::string difference = DifferenceOf(*prototype, *parsed[i].message, messages[i], (*encoded)[row++]);
    if (!difference.empty()) return "message " + std::to_string(i) + difference;
  }
  return "";
}

}  // namespace structtensor::testing
