#include "structtensor/core/plan/steps.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace structtensor::plan {
namespace {

using ::testing::ElementsAre;

FieldPlan Field(int32_t number, Kind kind, Cardinality cardinality = Cardinality::kSingular) {
  FieldPlan field;
  field.name = "x";
  field.number = number;
  field.kind = kind;
  field.element = ElementOf(kind);
  field.cardinality = cardinality;
  return field;
}

MessagePlan Message(const std::vector<FieldPlan>& fields) { return {.full_name = "M", .fields = fields}; }

// "number:wire type reads/form", with numbers for the enums.
std::vector<std::string> Reading(const MessagePlan& message) {
  std::vector<std::string> steps;
  for (const ReadStep& step : ReadSteps(message)) {
    steps.push_back(std::to_string(step.number()) + ":" + std::string(WireTypeName(step.wire_type())) + " " +
                    std::to_string(static_cast<int>(step.reads)) + "/" + std::to_string(static_cast<int>(step.form)));
  }
  return steps;
}

std::string Read(int32_t number, std::string_view wire_type, Reads reads, ReadForm form) {
  return std::to_string(number) + ":" + std::string(wire_type) + " " + std::to_string(static_cast<int>(reads)) + "/" +
         std::to_string(static_cast<int>(form));
}

TEST(ReadSteps, OfSingularFields) {
  const std::vector<FieldPlan> fields = {Field(1, Kind::kSint64), Field(2, Kind::kDouble), Field(3, Kind::kSfixed32),
                                         Field(4, Kind::kBytes),  Field(5, Kind::kGroup),  Field(6, Kind::kMessage)};
  EXPECT_THAT(
      Reading(Message(fields)),
      ElementsAre(Read(1, "VARINT", Reads::kVarint, ReadForm::kSingular), Read(2, "I64", Reads::kFixed, ReadForm::kSingular),
                  Read(3, "I32", Reads::kFixed, ReadForm::kSingular), Read(4, "LEN", Reads::kText, ReadForm::kSingular),
                  Read(5, "SGROUP", Reads::kGroup, ReadForm::kSingular), Read(6, "LEN", Reads::kMessage, ReadForm::kSingular)));
}

TEST(ReadSteps, ARepeatedScalarIsReadInBothFormsTheDeclaredOneFirst) {
  std::vector<FieldPlan> fields = {Field(1, Kind::kInt32, Cardinality::kRepeated),
                                   Field(2, Kind::kEnum, Cardinality::kRepeated),
                                   Field(3, Kind::kString, Cardinality::kRepeated)};
  fields[0].packed = true;
  fields[1].closed_enum = true;
  EXPECT_THAT(
      Reading(Message(fields)),
      ElementsAre(Read(1, "LEN", Reads::kVarint, ReadForm::kPacked), Read(1, "VARINT", Reads::kVarint, ReadForm::kRepeated),
                  Read(2, "VARINT", Reads::kClosedEnum, ReadForm::kRepeated),
                  Read(2, "LEN", Reads::kClosedEnum, ReadForm::kPacked), Read(3, "LEN", Reads::kText, ReadForm::kRepeated)));
}

TEST(ReadSteps, OfOneofs) {
  std::vector<FieldPlan> fields = {Field(1, Kind::kInt32), Field(2, Kind::kBool), Field(4, Kind::kInt32),
                                   Field(0, Kind::kInt32, Cardinality::kOneofCase)};
  for (int i = 0; i < 3; ++i) fields[static_cast<size_t>(i)].presence_bit = i;
  fields[0].oneof_case = fields[2].oneof_case = 3;
  MessagePlan message = Message(fields);
  message.presence_words = true;
  const std::vector<ReadStep> steps = ReadSteps(message);
  ASSERT_EQ(steps.size(), 3u);  // the case is no field of the message
  EXPECT_TRUE(steps[0].of_oneof() && !steps[1].of_oneof() && steps[2].of_oneof());
  EXPECT_EQ(steps[0].other_members, 0b100u);
  EXPECT_EQ(steps[1].other_members, 0u);
  EXPECT_EQ(steps[2].other_members, 0b001u);
}

TEST(ReadSteps, OfClosedEnumsInMaps) {
  std::vector<FieldPlan> entry_fields = {Field(1, Kind::kString), Field(2, Kind::kEnum)};
  entry_fields[1].closed_enum = true;
  MessagePlan entry = Message(entry_fields);
  entry.map_entry = true;
  EXPECT_THAT(Reading(entry), ElementsAre(Read(1, "LEN", Reads::kText, ReadForm::kSingular),
                                          Read(2, "VARINT", Reads::kClosedEnum, ReadForm::kMapValue)));
  std::vector<FieldPlan> fields = {Field(7, Kind::kMessage, Cardinality::kMap)};
  fields[0].message = &entry;
  EXPECT_THAT(Reading(Message(fields)), ElementsAre(Read(7, "LEN", Reads::kClosedEnumMap, ReadForm::kRepeated)));
}

TEST(ReadSteps, ChecksOfTexts) {
  const FieldAnnotations annotations{.fixed_size_bytes = 4};
  std::vector<FieldPlan> fields = {Field(1, Kind::kString), Field(2, Kind::kBytes), Field(3, Kind::kBytes)};
  fields[0].validate_utf8 = true;
  fields[1].annotations = &annotations;
  const std::vector<ReadStep> steps = ReadSteps(Message(fields));
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].check, TextCheck::kUtf8);
  EXPECT_EQ(steps[1].check, TextCheck::kFixedSize);
  EXPECT_EQ(steps[2].check, TextCheck::kBytes);
}

TEST(ReadSteps, NumbersThatAreTooLargeForATag) {
  const std::vector<FieldPlan> fields = {Field((1 << 29) - 1, Kind::kMessage), Field(1 << 29, Kind::kMessage)};
  MessagePlan message = Message(fields);
  message.message_set = true;
  EXPECT_EQ(ReadSteps(message).size(), 1u);
  const std::vector<WriteStep> steps = WriteSteps(message);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].writes, Writes::kMessageSetItem);
  EXPECT_EQ(steps[1].number(), 1u << 29);
}

TEST(WriteSteps, OfAllForms) {
  std::vector<FieldPlan> fields = {Field(1, Kind::kInt64),
                                   Field(2, Kind::kString),
                                   Field(3, Kind::kFloat, Cardinality::kRepeated),
                                   Field(4, Kind::kFloat, Cardinality::kRepeated),
                                   Field(5, Kind::kGroup),
                                   Field(6, Kind::kMessage, Cardinality::kMap)};
  fields[1].presence = Presence::kExplicit;
  fields[3].packed = true;
  const std::vector<WriteStep> steps = WriteSteps(Message(fields));
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[0].form, WriteForm::kNonZero);
  EXPECT_EQ(steps[1].form, WriteForm::kSingular);
  EXPECT_EQ(steps[2].form, WriteForm::kRepeated);
  EXPECT_EQ(steps[2].tag, Tag(3, kI32));
  EXPECT_EQ(steps[3].form, WriteForm::kPacked);
  EXPECT_EQ(steps[3].tag, Tag(4, kLen));
  EXPECT_EQ(steps[4].writes, Writes::kGroup);
  EXPECT_EQ(steps[5].writes, Writes::kMap);
  // Without presence words, the values of singular fields are taken one after the other.
  EXPECT_TRUE(steps[0].taken && steps[1].taken && !steps[2].taken && steps[4].taken && !steps[5].taken);
}

TEST(WriteSteps, AMapEntryIsWrittenWhole) {
  const std::vector<FieldPlan> fields = {Field(1, Kind::kString), Field(2, Kind::kMessage)};
  MessagePlan entry = Message(fields);
  entry.map_entry = true;
  for (const WriteStep& step : WriteSteps(entry)) {
    EXPECT_EQ(step.form, WriteForm::kEntry);
    EXPECT_FALSE(step.is_singular());
  }
}

TEST(Kinds, FactsAgreeWithEachOther) {
  for (const KindFacts& facts : kKindFacts) {
    EXPECT_EQ(facts.scalar == Scalar::kNone, facts.wire_type == kLen || facts.wire_type == kSgroup) << facts.name;
    EXPECT_EQ(facts.scalar == Scalar::kFixed32, facts.wire_type == kI32) << facts.name;
    EXPECT_EQ(facts.scalar == Scalar::kFixed64, facts.wire_type == kI64) << facts.name;
    EXPECT_EQ(KindName(facts.kind), facts.name);
  }
}

}  // namespace
}  // namespace structtensor::plan
