// The way back from columns that annotations have renamed, changed and flattened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "annotated.structtensor.h"
#include "annotated2.structtensor.h"
#include "annotated_testutil.h"
#include "oracle.h"
#include "random_message.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::testing {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<StructuredTensor> RowsOf(const plan::MessagePlan& plan, const std::vector<std::string>& messages,
                                        const TensorOptions& options) {
  BatchDecoder decoder = *BatchDecoder::Create(
      plan,
      {.on_error = DecodeOptions::OnError::kSkip, .unknown_fields = DecodeOptions::UnknownFields::kKeep, .recursion_depth = 1});
  const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages);
  if (!batch.ok()) return batch.status();
  return ToStructuredTensor(*batch, options);
}

// The messages that become of `rows`.
absl::StatusOr<std::vector<std::string>> MessagesOf(const plan::MessagePlan& plan, const StructuredTensor& rows) {
  TensorEncoder encoder = *TensorEncoder::Create(plan);
  const absl::StatusOr<EncodedBatch> encoded = encoder.Encode(rows);
  if (!encoded.ok()) return encoded.status();
  return std::vector<std::string>(encoded->begin(), encoded->end());
}

TEST(AnnotationsToMessages, RowsAreTheSameAfterBeingMessages) {
  OracleSchema oracle(STRUCTTENSOR_ANNOTATED_DESCRIPTOR_SET);
  for (const plan::MessagePlan* plan : {&annotated::TripColumns::plan(), &annotated::WholeColumns::plan()}) {
    Random random(3);
    std::vector<std::string> messages;
    for (int i = 0; i < 100; ++i) {
      const auto message = oracle.New(oracle.Find(std::string(plan->full_name)));
      FillOptions fill;
      fill.probability = i % 2 == 0 ? 0.2 : 0.6;
      fill.extensions = &oracle.pool();
      Fill(random, fill, message.get());
      // What is filled with a default is there in every row, and so is the flattened message that has it.
      if (const auto* const part = message->GetDescriptor()->FindFieldByName("part"); part != nullptr) {
        Fill(random, fill, message->GetReflection()->MutableMessage(message.get(), part));
      }
      // A member of a oneof that is skipped is not there again, and the case of the oneof says so.
      if (const auto* const word = message->GetDescriptor()->FindFieldByName("word"); word != nullptr) {
        message->GetReflection()->ClearField(message.get(), word);
      }
      messages.push_back(message->SerializePartialAsString() +
                         "\xba\xb9\xc5\xa9\x01\x03xyz");  // number 44444567, which no type has
    }
    for (const Optionals optionals : {Optionals::kNullable, Optionals::kRagged}) {
      // Random times are mostly none that native ones can hold.
      const TensorOptions options = {.optionals = optionals, .well_known_types = WellKnownTypes::kStructs};
      const auto rows = RowsOf(*plan, messages, options);
      ASSERT_TRUE(rows.ok()) << rows.status();
      ASSERT_GT(rows->nrows(), 50);
      const auto again = MessagesOf(*plan, *rows);
      ASSERT_TRUE(again.ok()) << again.status();
      const auto rows_again = RowsOf(*plan, *again, options);
      ASSERT_TRUE(rows_again.ok()) << rows_again.status();
      ASSERT_EQ(rows_again->nrows(), rows->nrows());
      for (int64_t row = 0; row < rows->nrows(); ++row) {
        std::string before;
        std::string after;
        AppendJson(*rows, row, before);
        AppendJson(*rows_again, row, after);
        // A message that is there and has nothing to show for it is not there again.
        ASSERT_EQ(after, before) << plan->full_name << " row " << row;
      }
    }
  }
}

TEST(AnnotationsToMessages, NativeTimesNamesAndStringsComeBack) {
  const std::string trip = SerializedAnnotated("Trip", R"(
      id: 'a' minutes: 1 count: 2 note: 'n' begun { seconds: 1 nanos: 2000 } pauses { seconds: 3 }
      stops { key: 'k' value { seconds: 4 } }
      color: BLUE maybe: 99 colors: [RED, 12] by_number { key: 1 value: GREEN } many: 4
      place { city: 'c' floor: 1 tags: 't' seen { seconds: 5 } size: LARGE park: 'p' inner { x: 1 y: 'y' }
              doors { key: 1 value: 'd' } }
      listed { x: 0 } wrapped { value: 6 } places { inner { y: 'z' } })");
  const std::string strings =
      SerializedAnnotated("Strings", "text: 'a' maybe: '' many: 'b' by_number { key: 1 value: 'c' } raw: '\\377'");
  for (const Optionals optionals : {Optionals::kNullable, Optionals::kRagged}) {
    const TensorOptions options = {.optionals = optionals};
    const auto rows = RowsOf(annotated::TripColumns::plan(), {trip, ""}, options);
    ASSERT_TRUE(rows.ok()) << rows.status();
    const auto messages = MessagesOf(annotated::TripColumns::plan(), *rows);
    ASSERT_TRUE(messages.ok()) << messages.status();
    EXPECT_EQ((*messages)[0], trip);
    EXPECT_EQ((*messages)[1], SerializedAnnotated("Trip", "count: 0"));  // which is filled with its default
    const auto text_rows = RowsOf(annotated::StringsColumns::plan(), {strings}, options);
    const auto text_messages = MessagesOf(annotated::StringsColumns::plan(), *text_rows);
    ASSERT_TRUE(text_messages.ok()) << text_messages.status();
    EXPECT_EQ((*text_messages)[0], strings);
  }
}

TEST(AnnotationsToMessages, FlattenedMessagesAreThereWhereAColumnIs) {
  const auto back = [](const char* text, Optionals optionals) {
    const auto rows = RowsOf(annotated::TripColumns::plan(), {SerializedAnnotated("Trip", text)}, {.optionals = optionals});
    const auto messages = MessagesOf(annotated::TripColumns::plan(), *rows);
    return messages.ok() ? (*messages)[0] : messages.status().ToString();
  };
  const auto message = [](const std::string& text) { return SerializedAnnotated("Trip", text + " count: 0"); };
  for (const Optionals optionals : {Optionals::kNullable, Optionals::kRagged}) {
    EXPECT_EQ(back("", optionals), message(""));
    EXPECT_EQ(back("place {}", optionals), message("place {}"));  // its city is there, and empty
    EXPECT_EQ(back("place { inner {} }", optionals), message("place { inner {} }"));
    EXPECT_EQ(back("place { tags: 't' }", optionals), message("place { tags: 't' }"));
    EXPECT_EQ(back("place { other {} }", optionals), message("place { other {} }"));
    EXPECT_EQ(back("there { inner { y: 'a' } }", optionals), message("there { inner { y: 'a' } }"));
  }
}

TEST(AnnotationsToMessages, MessagesThatAreThereByADefaultLackWhatTheyRequire) {
  const std::string part = "always { weight: 1 level: HIGH leaf {} at {} title: '' }";
  const auto rows =
      RowsOf(annotated::WholeColumns::plan(), {SerializedAnnotated("Whole", part)}, {.optionals = Optionals::kNullable});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(std::string(MessagesOf(annotated::WholeColumns::plan(), *rows).status().message()),
              HasSubstr("row 0: part.weight: the required field is absent"));
}

TEST(AnnotationsToMessages, ColumnsByTheNamesOfRenamedFieldsAreRefused) {
  const auto error = [](const char* name) {
    const StructuredTensor rows = StructuredTensor::Create({}, 1, {{name, Tensor::FromVector(std::vector<int32_t>{1})}});
    return std::string(MessagesOf(annotated::TripColumns::plan(), rows).status().message());
  };
  EXPECT_THAT(error("id"), HasSubstr("the column of this field is called trip id"));
  EXPECT_THAT(error("place"), HasSubstr("replaces this field with its own columns"));
  EXPECT_THAT(error("nothing"), HasSubstr("has no such field"));
}

TEST(AnnotationsToMessages, BytesHaveToHaveTheirSize) {
  const plan::MessagePlan& plan = annotated::SizesColumns::plan();
  const std::vector<std::string> messages = {
      SerializedAnnotated("Sizes", "id: 'abcd' maybe: 'ef' many: ['g', 'h'] by_name { key: '' value: 'ijk' } chosen: 'lm'"),
      SerializedAnnotated("Sizes", "by_name { key: 'x' } number: 1")};
  for (const Optionals optionals : {Optionals::kNullable, Optionals::kRagged}) {
    const auto rows = RowsOf(plan, messages, {.optionals = optionals});
    ASSERT_TRUE(rows.ok()) << rows.status();
    const auto again = MessagesOf(plan, *rows);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ((*again)[0], messages[0]);
    EXPECT_EQ((*again)[1], SerializedAnnotated("Sizes", "by_name { key: 'x' value: '' } number: 1"));
  }
  struct {
    const char* field;
    std::vector<std::string> values;
    const char* error;  // "": none
  } const kCases[] = {
      {"id", {"abcd", ""}, ""},
      {"id", {"abcd", "abc"}, "row 1: id: its annotation says fixed_size: 4; found 3 bytes"},
      {"maybe", {"", "ab"}, "row 0: maybe: its annotation says fixed_size: 2; found 0 bytes"},
  };
  for (const auto& each : kCases) {
    const StructuredTensor rows =
        StructuredTensor::Create({}, 2, {{each.field, Tensor::FromVector(each.values, DType::kBytes)}});
    const absl::Status status = MessagesOf(plan, rows).status();
    EXPECT_EQ(status.ok(), each.error[0] == 0) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.error));
  }
}

TEST(AnnotationsToMessages, StringsHaveToBeUtf8) {
  const StructuredTensor rows =
      StructuredTensor::Create({}, 1, {{"text", Tensor::FromVector(std::vector<std::string>{"\xff"}, DType::kBytes)}});
  EXPECT_THAT(std::string(MessagesOf(annotated::StringsColumns::plan(), rows).status().message()), HasSubstr("must be UTF-8"));
}

}  // namespace
}  // namespace structtensor::testing
