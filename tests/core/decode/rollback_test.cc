// A broken message leaves no trace in the columns of its neighbours, whatever fields it had stored before it broke.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "log_silencer.h"
#include "oracle.h"
#include "random_message.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;

// Message types that have each archetype (kind x cardinality x presence) among their fields.
std::vector<const plan::MessagePlan*> Types() {
  return {&ImplicitColumns::plan(),  &ExplicitColumns::plan(), &PackedColumns::plan(),     &UnpackedColumns::plan(),
          &ChoicesColumns::plan(),   &MapsColumns::plan(),     &TreeColumns::plan(),       &TwinColumns::plan(),
          &WellKnownColumns::plan(), &DefaultsColumns::plan(), &RepeatedColumns::plan(),   &RepeatedPackedColumns::plan(),
          &GroupsColumns::plan(),    &RequiredColumns::plan(), &ExtendableColumns::plan(), &ClosedEnumsColumns::plan()};
}

// A message with random content in `field` alone, and in required fields.
std::string MessageWith(OracleSchema& schema, Random& random, const pb::Descriptor* type, const pb::FieldDescriptor* field) {
  FillOptions fill;
  fill.probability = 0.6;
  fill.depth = 2;
  const auto message = schema.New(type);
  Fill(random, fill, message.get());
  const pb::Reflection& reflection = *message->GetReflection();
  std::vector<const pb::FieldDescriptor*> set;
  reflection.ListFields(*message, &set);
  for (const pb::FieldDescriptor* other : set) {
    if (other != field && !other->is_required()) reflection.ClearField(message.get(), other);
  }
  return message->SerializePartialAsString();
}

TEST(RollbackTest, NeighboursOfEveryFieldAreUnharmed) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const LogSilencer silencer;
  Random random(7);
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  size_t broken = 0;
  for (const plan::MessagePlan* plan : Types()) {
    const pb::Descriptor* type = schema.Find(std::string(plan->full_name));
    BatchDecoder decoder = *BatchDecoder::Create(*plan, options);
    for (int i = 0; i < type->field_count(); ++i) {
      SCOPED_TRACE(type->field(i)->full_name());
      // Good messages with broken ones between them: one that ends in a byte that is no tag, and one cut off anywhere.
      std::vector<std::string> bytes;
      for (int k = 0; k < 20; ++k) {
        bytes.push_back(MessageWith(schema, random, type, type->field(i)));
        std::string damaged = MessageWith(schema, random, type, type->field(i));
        bytes.push_back(k % 2 == 0 ? damaged + "\x07" : damaged.substr(0, Pick(random, damaged.size() + 1)));
      }
      const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
      const std::vector<ParsedMessage> parsed = ParseAll(schema, type, messages);
      ASSERT_EQ(DecodeAndCompare(schema, parsed, messages, decoder), "");
      broken +=
          static_cast<size_t>(std::count_if(parsed.begin(), parsed.end(), [](const ParsedMessage& m) { return !m.accepted; }));
    }
  }
  EXPECT_GT(broken, 1500u);
}

}  // namespace
}  // namespace structtensor::testing
