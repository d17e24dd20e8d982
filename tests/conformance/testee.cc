// What protobuf's conformance runner talks to: for each message that it sends, serialized, as JSON or in text format, the
// message that our decoder and encoder for the suite's own types make of it. libprotobuf reads and writes the conversation and
// text format.
//
// The conversation: requests on standard input, a response to each on standard output, all of them preceded by their length as
// a little-endian 32-bit number.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/conformance.pb.h"
#include "conformance/messages/test_messages_edition2023.structtensor.h"
#include "conformance/messages/test_messages_proto2.structtensor.h"
#include "conformance/messages/test_messages_proto2_editions.structtensor.h"
#include "conformance/messages/test_messages_proto3.structtensor.h"
#include "conformance/messages/test_messages_proto3_editions.structtensor.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/core/engine/engine.h"
#include "structtensor/io/json/message_json.h"

namespace structtensor {
namespace {

namespace suite = ::protobuf_test_messages;
using ::conformance::ConformanceRequest;
using ::conformance::ConformanceResponse;

// The plans of all message types that `message` reaches, by their names.
void AddReachable(const plan::MessagePlan& message, std::map<std::string_view, const plan::MessagePlan*>& plans) {
  std::vector<const plan::MessagePlan*> waiting = {&message};
  while (!waiting.empty()) {
    const plan::MessagePlan* const next = waiting.back();
    waiting.pop_back();
    if (!plans.emplace(next->full_name, next).second) continue;
    for (const plan::FieldPlan& field : next->fields) {
      if (field.message != nullptr) waiting.push_back(field.message);
    }
  }
}

// The suite's own files: what text format needs.
const Schema& SuiteSchema() {
  static const auto* const kSchema = new Schema(*Schema::FromProtoFiles(
      {"conformance/messages/test_messages_proto2.proto", "conformance/messages/test_messages_proto3.proto",
       "conformance/messages/test_messages_proto2_editions.proto", "conformance/messages/test_messages_proto3_editions.proto",
       "conformance/messages/test_messages_edition2023.proto"},
      {STRUCTTENSOR_CONFORMANCE_SUITE}));
  return *kSchema;
}

// Decoder and encoder of one type, its JSON, and its text format. They live as long as the testee, so that every message after
// the first meets used memory.
class Codec {
 public:
  // `plan` must outlive it.
  explicit Codec(const plan::MessagePlan& plan)
      : decoder_(KeepingUnknownFields(plan)),
        encoder_(plan),
        json_(plan, JsonOptions(plan, false)),
        lenient_json_(plan, JsonOptions(plan, true)),
        text_(*SuiteSchema().TextFormatOf(std::string(plan.full_name))),
        text_with_unknown_fields_(*SuiteSchema().TextFormatOf(std::string(plan.full_name), {.unknown_fields = true})) {}

  ConformanceResponse RoundTrip(const ConformanceRequest& request) {
    ConformanceResponse response;
    std::string payload = request.protobuf_payload();
    if (request.payload_case() == ConformanceRequest::kTextPayload) {
      size_t byte;
      std::string problem;
      payload.clear();
      if (!text_.AppendMessage(request.text_payload(), payload, &byte, &problem)) {
        response.set_parse_error(problem);
        return response;
      }
    }
    if (request.payload_case() == ConformanceRequest::kJsonPayload) {
      const bool lenient = request.test_category() == conformance::JSON_IGNORE_UNKNOWN_PARSING_TEST;
      payload.clear();
      const absl::Status read = (lenient ? lenient_json_ : json_).AppendMessage(request.json_payload(), payload);
      if (!read.ok()) {
        response.set_parse_error(read.ToString());
        return response;
      }
    }
    const std::string_view messages[] = {payload};
    const absl::StatusOr<DecodedBatch> batch = decoder_.Decode(messages);
    if (!batch.ok()) {
      response.set_parse_error(batch.status().ToString());
      return response;
    }
    const absl::StatusOr<EncodedBatch> encoded = encoder_.Encode(*batch);
    if (!encoded.ok()) {
      response.set_serialize_error(encoded.status().ToString());
    } else if (encoded->size() != 1) {
      response.set_runtime_error("one message was decoded, and " + std::to_string(encoded->size()) + " were encoded");
    } else if (request.requested_output_format() == conformance::TEXT_FORMAT) {
      std::string text;
      const absl::Status written =
          (request.print_unknown_fields() ? text_with_unknown_fields_ : text_).AppendText((*encoded)[0], text);
      if (written.ok()) {
        response.set_text_payload(text);
      } else {
        response.set_serialize_error(written.ToString());
      }
    } else if (request.requested_output_format() == conformance::JSON) {
      std::string json;
      const absl::Status written = json_.AppendJson((*encoded)[0], json);
      if (written.ok()) {
        response.set_json_payload(json);
      } else {
        response.set_serialize_error(written.ToString());
      }
    } else {
      response.set_protobuf_payload(std::string((*encoded)[0]));
    }
    return response;
  }

 private:
  static BatchDecoder KeepingUnknownFields(const plan::MessagePlan& plan) {
    DecodeOptions options;
    options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
    return *BatchDecoder::Create(plan, options);
  }
  static MessageJsonOptions JsonOptions(const plan::MessagePlan& plan, bool lenient) {
    std::map<std::string_view, const plan::MessagePlan*> plans;
    AddReachable(plan, plans);
    return {.ignore_extra_fields = lenient, .resolve = [plans = std::move(plans)](std::string_view name) {
              const auto found = plans.find(name);
              return found == plans.end() ? nullptr : found->second;
            }};
  }

  BatchDecoder decoder_;
  BatchEncoder encoder_;
  MessageJson json_;
  MessageJson lenient_json_;
  TextFormat text_;
  TextFormat text_with_unknown_fields_;
};

// The types that the suite knows, by generated code or by the engine. Returns null for others.
Codec* FindCodec(const std::string& message_type, bool engine) {
  static const auto* const kPlans = new std::map<std::string_view, const plan::MessagePlan*>{
      {"protobuf_test_messages.proto2.TestAllTypesProto2", &suite::proto2::TestAllTypesProto2Columns::plan()},
      {"protobuf_test_messages.proto2.UnknownToTestAllTypes", &suite::proto2::UnknownToTestAllTypesColumns::plan()},
      {"protobuf_test_messages.proto2.TestAllRequiredTypesProto2", &suite::proto2::TestAllRequiredTypesProto2Columns::plan()},
      {"protobuf_test_messages.proto3.TestAllTypesProto3", &suite::proto3::TestAllTypesProto3Columns::plan()},
      {"protobuf_test_messages.editions.TestAllTypesEdition2023", &suite::editions::TestAllTypesEdition2023Columns::plan()},
      {"protobuf_test_messages.editions.proto2.TestAllTypesProto2",
       &suite::editions::proto2::TestAllTypesProto2Columns::plan()},
      {"protobuf_test_messages.editions.proto3.TestAllTypesProto3",
       &suite::editions::proto3::TestAllTypesProto3Columns::plan()},
  };
  static auto* const codecs = new std::map<std::string_view, std::unique_ptr<Codec>>;
  const auto found = kPlans->find(message_type);
  if (found == kPlans->end()) return nullptr;
  std::unique_ptr<Codec>& codec = (*codecs)[found->first];
  if (codec == nullptr) {
    static auto* const engine_plans = new std::vector<std::shared_ptr<const plan::MessagePlan>>;
    if (engine) engine_plans->push_back(MakeEnginePlan(*found->second));
    codec = std::make_unique<Codec>(engine ? *engine_plans->back() : *found->second);
  }
  return codec.get();
}

ConformanceResponse Answer(const ConformanceRequest& request, bool engine) {
  ConformanceResponse response;
  if (request.message_type() == "conformance.FailureSet") {
    response.set_protobuf_payload(conformance::FailureSet().SerializeAsString());  // no test is expected to fail
  } else if (request.payload_case() == ConformanceRequest::kJspbPayload ||
             request.requested_output_format() == conformance::JSPB) {
    response.set_skipped("the format of Google's JavaScript is neither read nor written");
  } else if (Codec* const codec = FindCodec(request.message_type(), engine); codec != nullptr) {
    response = codec->RoundTrip(request);
  } else {
    response.set_runtime_error("the testee has no decoder for " + request.message_type());
  }
  return response;
}

// Returns nothing where the input ends.
std::optional<std::string> ReadRequest() {
  unsigned char size[4];
  if (!std::cin.read(reinterpret_cast<char*>(size), sizeof(size))) return std::nullopt;
  std::string bytes(size[0] | size[1] << 8 | size[2] << 16 | static_cast<uint32_t>(size[3]) << 24, '\0');
  if (!std::cin.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return std::nullopt;
  return bytes;
}

void WriteResponse(const std::string& bytes) {
  for (int shift = 0; shift < 32; shift += 8) std::cout.put(static_cast<char>(bytes.size() >> shift));
  std::cout << bytes << std::flush;
}

}  // namespace
}  // namespace structtensor

// Messages go through the engine instead of generated code where the program is called by a name that ends with _engine: the
// runner passes no arguments on.
int main(int argc, char** argv) {
  const bool engine = argc > 0 && std::string_view(argv[0]).ends_with("_engine");
  while (const std::optional<std::string> bytes = structtensor::ReadRequest()) {
    conformance::ConformanceRequest request;
    if (!request.ParseFromString(*bytes)) {
      std::cerr << "conformance_testee: standard input holds no ConformanceRequest\n";
      return EXIT_FAILURE;
    }
    structtensor::WriteResponse(structtensor::Answer(request, engine).SerializeAsString());
  }
  return EXIT_SUCCESS;
}
