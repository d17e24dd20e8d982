// Which tensors fit a message type, the messages that are written from them, and the errors for tensors that do not fit.
#include "structtensor/tensor/messages/tensor_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::testing {
namespace {

template <typename T>
Tensor Vector(std::vector<T> values) {
  return Tensor::FromVector(std::move(values));
}
Tensor Strings(const std::vector<std::string>& values, DType dtype = DType::kString) {
  return Tensor::FromVector(values, dtype);
}

Validity Bits(uint8_t bits) { return Validity(Buffer<uint8_t>::FromVector({bits})); }

template <typename T>
Tensor Nullable(std::vector<T> values, uint8_t bits) {
  return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(values)), DTypeOf<T>::value, Bits(bits));
}

RowPartition Splits(std::vector<int64_t> splits) {
  return *RowPartition::FromRowSplits(Buffer<int64_t>::FromVector(std::move(splits)));
}

RaggedTensor Ragged(std::vector<int64_t> splits, Tensor values) {
  return *RaggedTensor::FromRowPartitions({Splits(std::move(splits))}, std::move(values));
}

StructuredTensor Structs(std::vector<Field> fields, int64_t nrows = 1) {
  return *StructuredTensor::FromFields(nrows, std::move(fields));
}

template <typename Columns>
absl::StatusOr<std::vector<std::string>> Encode(const StructuredTensor& rows, TensorEncodeOptions options = {}) {
  absl::StatusOr<TensorEncoder> encoder = TensorEncoder::Create(Columns::plan(), options);
  if (!encoder.ok()) return encoder.status();
  const absl::StatusOr<EncodedBatch> encoded = encoder->Encode(rows);
  if (!encoded.ok()) return encoded.status();
  return std::vector<std::string>(encoded->begin(), encoded->end());
}

// One message of one field.
template <typename Columns>
absl::StatusOr<std::string> EncodeField(std::string name, Value value, TensorEncodeOptions options = {}) {
  const absl::StatusOr<std::vector<std::string>> messages =
      Encode<Columns>(Structs({{std::move(name), std::move(value)}}), options);
  if (!messages.ok()) return messages.status();
  return (*messages)[0];
}

template <typename Columns>
std::string ErrorOf(std::string name, Value value) {
  return std::string(EncodeField<Columns>(std::move(name), std::move(value)).status().message());
}

using Rows = std::vector<std::string>;

TEST(TensorEncoderTest, ValuesAreWrittenWhereTheyArePresent) {
  EXPECT_EQ(*Encode<ExplicitColumns>(Structs({{"int32_value", Nullable<int32_t>({5, 6, 7}, 0b101)}}, 3)),
            (Rows{"\x90\x7e\x05", "", "\x90\x7e\x07"}));
  EXPECT_EQ(*Encode<ExplicitColumns>(Structs({{"int32_value", Ragged({0, 0, 1, 2}, Vector<int32_t>({0, 9}))}}, 3)),
            (Rows{"", std::string("\x90\x7e\x00", 3), "\x90\x7e\x09"}));
  // Without presence the default is not written.
  EXPECT_EQ(*Encode<ImplicitColumns>(Structs({{"int32_value", Vector<int32_t>({0, 3})}}, 2)), (Rows{"", "\x18\x03"}));
}

TEST(TensorEncoderTest, NoRowsMakeNoMessages) {
  EXPECT_EQ(*Encode<ImplicitColumns>(Structs({{"int32_value", Vector<int32_t>({})}}, 0)), Rows());
  EXPECT_EQ(*Encode<ImplicitColumns>(Structs({}, 2)), (Rows{"", ""}));
}

TEST(TensorEncoderTest, NumbersOfOtherTypesAreConvertedIfNothingIsLost) {
  EXPECT_EQ(*EncodeField<ImplicitColumns>("int32_value", Vector<int64_t>({7})), "\x18\x07");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("uint64_value", Vector<double>({7.0})), "\x30\x07");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("bool_value", Vector<int32_t>({1})), "\x68\x01");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("int64_value", Vector<uint8_t>({1})), "\x20\x01");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("float_value", Vector<Float16>({Float16(1.0f)})), std::string("\x15\0\0\x80\x3f", 5));
  EXPECT_EQ(EncodeField<ImplicitColumns>("float_value", Vector<double>({std::nan("")}))->size(), 5u);
  EXPECT_EQ(EncodeField<ImplicitColumns>("float_value", Vector<double>({HUGE_VAL}))->size(), 5u);

  EXPECT_EQ(ErrorOf<ImplicitColumns>("int32_value", Vector<int64_t>({int64_t{1} << 31})),
            "row 0: int32_value: a field of type int32 cannot hold 2147483648 without loss");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("uint32_value", Vector<int32_t>({-1})),
            "row 0: uint32_value: a field of type uint32 cannot hold -1 without loss");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("int64_value", Vector<double>({0x1p63})),
            "row 0: int64_value: a field of type int64 cannot hold 9.22337e+18 without loss");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("int64_value", Vector<float>({0.5f})),
            "row 0: int64_value: a field of type int64 cannot hold 0.5 without loss");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("int32_value", Vector<double>({std::nan("")})),
            "row 0: int32_value: a field of type int32 cannot hold nan without loss");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("float_value", Vector<double>({0.1})),
            "row 0: float_value: a field of type float cannot hold 0.1 without loss");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("double_value", Vector<int64_t>({std::numeric_limits<int64_t>::max()})),
            "row 0: double_value: a field of type double cannot hold 9223372036854775807 without loss");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("bool_value", Vector<int32_t>({2})),
            "row 0: bool_value: a field of type bool cannot hold 2");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("int32_value", Strings({"7"})),
            "int32_value: a field of type int32 cannot be made of string");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("string_value", Vector<int32_t>({7})),
            "string_value: a field of type string cannot be made of int32");
}

TEST(TensorEncoderTest, AbsentValuesAreNotConverted) {
  EXPECT_EQ(*Encode<ExplicitColumns>(Structs({{"int32_value", Nullable<int64_t>({int64_t{1} << 40, 6}, 0b10)}}, 2)),
            (Rows{"", "\x90\x7e\x06"}));
}

TEST(TensorEncoderTest, EnumsAreNumbersOrNames) {
  EXPECT_EQ(*EncodeField<ImplicitColumns>("color_value", Strings({"COLOR_GREEN"})), "\x80\x01\x02");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("color_value", Vector<int32_t>({2})), "\x80\x01\x02");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("color_value", Vector<int32_t>({77})), "\x80\x01\x4d");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("color_value", Strings({"GREEN"})),
            "row 0: color_value: the enum structtensor.testing.Color has no value named \"GREEN\"");
}

TEST(TensorEncoderTest, EnumsMayHaveTheirOtherNames) {
  const auto one = EncodeField<EverythingColumns>("aliased", Strings({"ALIASED_ONE"}));
  const auto other = EncodeField<EverythingColumns>("aliased", Strings({"ALIASED_UNO"}));
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(*other, *one);
}

// Files store a message without fields as a bool. For other messages a bool says nothing.
TEST(TensorEncoderTest, OnlyMessagesWithoutFieldsAreBools) {
  const Tensor bools = Tensor::FromBuffer(Buffer<uint8_t>::FromVector({1}), DType::kBool);
  EXPECT_EQ(*EncodeField<EverythingColumns>("nothing", bools), std::string("\x6a\0", 2));
  EXPECT_EQ(ErrorOf<WellKnownColumns>("timestamp", bools),
            "timestamp: a google.protobuf.Timestamp is made of timestamps, structs or serialized bytes; found bool of rank 1");
  EXPECT_EQ(ErrorOf<EverythingColumns>("well_known", bools),
            "well_known: a structtensor.testing.WellKnown is made of structs or serialized bytes; found bool of rank 1");
}

TEST(TensorEncoderTest, StringsHaveToBeUtf8) {
  EXPECT_EQ(*EncodeField<ImplicitColumns>("string_value", Strings({"\xc3\xa9"}, DType::kBytes)), "\x72\x02\xc3\xa9");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("bytes_value", Strings({"\xff"}, DType::kBytes)), "\x7a\x01\xff");
  EXPECT_EQ(ErrorOf<ImplicitColumns>("string_value", Strings({"\xff"}, DType::kBytes)),
            "row 0: string_value: a string must be UTF-8; found \"\\377\"");
  // Two strings that are UTF-8 only together.
  EXPECT_EQ(
      Encode<ImplicitColumns>(Structs({{"string_value", Strings({"\xc3", "\xa9"}, DType::kBytes)}}, 2)).status().message(),
      "row 0: string_value: a string must be UTF-8; found \"\\303\"");
}

TEST(TensorEncoderTest, ElementsOfRepeatedFieldsAreRaggedOrDense) {
  EXPECT_EQ(*Encode<PackedColumns>(Structs({{"int32_values", Ragged({0, 2, 2}, Vector<int32_t>({1, 2}))}}, 2)),
            *Encode<PackedColumns>(Structs({{"int32_values", Ragged({0, 2, 2}, Vector<int64_t>({1, 2}))}}, 2)));
  const Tensor dense = Vector<int32_t>({1, 2, 3, 4}).Reshape(Shape({2, 2}));
  EXPECT_EQ(*Encode<PackedColumns>(Structs({{"int32_values", dense}}, 2)),
            *Encode<PackedColumns>(Structs({{"int32_values", Ragged({0, 2, 4}, Vector<int32_t>({1, 2, 3, 4}))}}, 2)));
  EXPECT_EQ(ErrorOf<PackedColumns>("int32_values", Vector<int32_t>({1})),
            "int32_values: a repeated field has a list of values in each row; found int32 of rank 1");
  EXPECT_EQ(ErrorOf<PackedColumns>("int32_values", Ragged({0, 2}, Nullable<int32_t>({1, 2}, 0b01))),
            "row 0: int32_values: an element of a repeated field cannot be absent");
}

TEST(TensorEncoderTest, FieldsThatAreNotRepeatedHaveOneValueARow) {
  EXPECT_EQ(
      Encode<ExplicitColumns>(Structs({{"int32_value", Ragged({0, 1, 3}, Vector<int32_t>({1, 2, 3}))}}, 2)).status().message(),
      "row 1: int32_value: a field that is not repeated has 2 values");
  EXPECT_EQ(ErrorOf<ExplicitColumns>("int32_value", Vector<int32_t>({1}).Reshape(Shape({1, 1, 1}))),
            "int32_value: a field that is not repeated has one value a row; found int32 of rank 3");
}

TEST(TensorEncoderTest, StructsFitMessagesOnly) {
  EXPECT_EQ(ErrorOf<ExplicitColumns>("int32_value", Structs({})),
            "int32_value: a field of type int32 cannot be made of structs of rank 1");
  EXPECT_EQ(ErrorOf<PackedColumns>("string_values", Structs({}).WithOuterPartition(Splits({0, 1}))),
            "string_values: a field of type string cannot be made of structs of rank 2");
}

TEST(TensorEncoderTest, FieldsThatTheTypeDoesNotHaveAreRefused) {
  EXPECT_EQ(
      ErrorOf<ImplicitColumns>("colour", Vector<int32_t>({1})),
      "colour: the message type structtensor.testing.Implicit has no such field (`ignore_extra_fields=true` passes over it)");
  EXPECT_EQ(*EncodeField<ImplicitColumns>("colour", Vector<int32_t>({1}), {.ignore_extra_fields = true}), "");
}

TEST(TensorEncoderTest, OneMemberOfAOneof) {
  const auto choices = [](uint8_t a, uint8_t b) {
    return Structs({{"int32_choice", Nullable<int32_t>({1, 2}, a)},
                    {"string_choice", Tensor::FromStrings(Buffer<int32_t>::FromVector({0, 1, 2}),
                                                          Buffer<char>::FromVector({'x', 'y'}), DType::kString, Bits(b))}},
                   2);
  };
  const plan::MessagePlan& plan = ChoicesColumns::plan();
  ASSERT_NE(plan.FindByName("int32_choice"), nullptr);
  EXPECT_EQ(Encode<ChoicesColumns>(choices(0b01, 0b10))->size(), 2u);
  EXPECT_EQ(Encode<ChoicesColumns>(choices(0b01, 0b11)).status().message(),
            "row 0: the fields int32_choice and string_choice of one oneof are both present; at most one of them may be");
}

TEST(TensorEncoderTest, TheCaseOfAOneofSaysWhichMemberCountsWhereAllHaveValues) {
  const int32_t number = ChoicesColumns::plan().FindByName("int32_choice")->number;
  const Rows both = *Encode<ChoicesColumns>(Structs({{"int32_choice", Vector<int32_t>({1, 2})},
                                                     {"string_choice", Strings({"x", "y"})},
                                                     {"scalar_case", Vector<int32_t>({number, 0})}},
                                                    2));
  EXPECT_EQ(both[0], *EncodeField<ChoicesColumns>("int32_choice", Vector<int32_t>({1})));
  EXPECT_EQ(both[1], "");
}

TEST(TensorEncoderTest, WhatAbsentStructsHaveIsNotWritten) {
  // Struct 1 has two elements, absent or not.
  const auto structs = [](Validity validity) {
    return StructuredTensor::Create({}, 3, {{"int32_values", Ragged({0, 1, 3, 4}, Vector<int32_t>({7, 8, 9, 10}))}},
                                    StructKind::kStruct, std::move(validity));
  };
  const Rows all = *Encode<EverythingColumns>(Structs({{"packed", structs({})}}, 3));
  const Rows some = *Encode<EverythingColumns>(Structs({{"packed", structs(Bits(0b101))}}, 3));
  EXPECT_EQ(some, (Rows{all[0], "", all[2]}));
}

TEST(TensorEncoderTest, TimesAndWrappersComeFromNativeValues) {
  const auto time = [](int64_t value, DType dtype) { return Tensor::FromBuffer(Buffer<int64_t>::FromVector({value}), dtype); };
  // Seconds are field 1, nanoseconds field 2. -1 ms is 999 ms in the second before.
  EXPECT_EQ(*EncodeField<WellKnownColumns>("timestamp", time(1'500, DType::kTimestampMs)),
            std::string("\x0a\x08\x08\x01\x10\x80\xca\xb5\xee\x01", 10));
  EXPECT_EQ(*EncodeField<WellKnownColumns>("timestamp", time(-1, DType::kTimestampMs)),
            *EncodeField<WellKnownColumns>(
                "timestamp", Structs({{"seconds", Vector<int64_t>({-1})}, {"nanos", Vector<int32_t>({999'000'000})}})));
  EXPECT_EQ(*EncodeField<WellKnownColumns>("duration", time(-1'500, DType::kDurationMs)),
            *EncodeField<WellKnownColumns>(
                "duration", Structs({{"seconds", Vector<int64_t>({-1})}, {"nanos", Vector<int32_t>({-500'000'000})}})));
  EXPECT_EQ(*EncodeField<WellKnownColumns>("timestamp", time(0, DType::kTimestampNs)), std::string("\x0a\x00", 2));
  EXPECT_EQ(ErrorOf<WellKnownColumns>("timestamp", time(0, DType::kDurationNs)),
            "timestamp: a google.protobuf.Timestamp is made of timestamps, structs or serialized bytes; found duration[ns] of "
            "rank 1");
  EXPECT_EQ(*EncodeField<WellKnownColumns>("int32_value", Vector<int32_t>({7})), "\x42\x02\x08\x07");
  EXPECT_EQ(*EncodeField<WellKnownColumns>("string_value", Strings({"ab"})),
            "\x5a\x04\x0a\x02"
            "ab");
  EXPECT_EQ(*EncodeField<WellKnownColumns>("int64_values", Ragged({0, 2}, Vector<int64_t>({0, 3}))),
            std::string("\x6a\x00\x6a\x02\x08\x03", 6));
}

TEST(TensorEncoderTest, MessagesMayBeSerialized) {
  EXPECT_EQ(ErrorOf<EverythingColumns>("implicit", Strings({"text"})),
            "implicit: a structtensor.testing.Implicit is made of structs or serialized bytes; found string of rank 1");
  EXPECT_EQ(*EncodeField<EverythingColumns>("implicit", Strings({"\x18\x07"}, DType::kBytes)), "\x12\x02\x18\x07");
  EXPECT_EQ(*EncodeField<EverythingColumns>("nothing", Strings({""}, DType::kBytes)), std::string("\x6a\x00", 2));
}

TEST(TensorEncoderTest, SerializedMessagesAreChecked) {
  const auto error_of = [](const std::string& bytes) {
    return ErrorOf<EverythingColumns>("implicit", Strings({bytes}, DType::kBytes));
  };
  const std::string wrong = "row 0: implicit: these bytes are not a valid structtensor.testing.Implicit: ";
  EXPECT_EQ(error_of("\xff"), wrong + "byte 0: not a tag");
  EXPECT_EQ(error_of("\x18\x07\x18"), wrong + "byte 2, int32_value: not a varint of at most 10 bytes");
  EXPECT_EQ(error_of(std::string("\x00", 1)), wrong + "byte 0: not a tag");
  // Unknown fields may be anything that is a field.
  EXPECT_EQ(error_of("\xa2\x1f\x02z"), wrong + "byte 0: the value runs past the end of its message");
  EXPECT_EQ(error_of("\xa4\x1f"), wrong + "byte 0: the end of a group that has not begun");
  EXPECT_EQ(error_of("\xa3\x1f\x18\x07"), wrong + "byte 4: the group does not end");
  EXPECT_EQ(error_of("\xa3\x1f\xac\x1f"), wrong + "byte 2: the end of a group that has not begun");
  EXPECT_EQ(error_of("\x1c"), wrong + "byte 0, int32_value: the end of a group that has not begun");
  for (const std::string good : {"", "\xa2\x1f\x01z", "\xa3\x1f\x18\x07\xa4\x1f", "\x1a\x01z"})
    EXPECT_EQ(error_of(good), "") << good;
  // Only what is written is checked.
  const Tensor bytes = Tensor::FromStrings(Buffer<int32_t>::FromVector({0, 1, 1}), Buffer<char>::FromVector({'\xff'}),
                                           DType::kBytes, Bits(0b10));
  EXPECT_EQ(*Encode<EverythingColumns>(Structs({{"implicit", bytes}}, 2)), (Rows{"", std::string("\x12\x00", 2)}));
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep = "\xa3\x1f" + deep + "\xa4\x1f";
  EXPECT_EQ(error_of(deep), wrong + "byte 2000: nested deeper than 1000 levels");
}

TEST(TensorEncoderTest, AbsentKeysAndValuesOfMapsAreTheirDefaults) {
  const StructuredTensor entries = StructuredTensor::Create(
      {Splits({0, 2})}, 2, {{"key", Nullable<int32_t>({1, 99}, 0b01)}, {"value", Nullable<double>({99.0, 2.0}, 0b10)}},
      StructKind::kMapEntry);
  EXPECT_EQ(*EncodeField<MapsColumns>("by_int32", entries),
            std::string("\x0a\x0b\x08\x01\x11\0\0\0\0\0\0\0\0\x0a\x0b\x08\0\x11\0\0\0\0\0\0\0\x40", 26));
}

TEST(TensorEncoderTest, RequiredFieldsArePresent) {
  const StructuredTensor rows = Structs({}, 1);
  EXPECT_EQ(Encode<RequiredColumns>(rows).status().message().substr(0, 7), "row 0: ");
  EXPECT_EQ(*Encode<RequiredColumns>(rows, {.allow_missing_required = true}), Rows{""});
}

TEST(TensorEncoderTest, ElementsBelowAbsentStructsAtTheEndAreNotWritten) {
  // twin is absent in the last row, which has two trees below it all the same, one of them with a tree of its own.
  const StructuredTensor trees = StructuredTensor::Create(
      {Splits({0, 1, 3})}, 3,
      {{"children", StructuredTensor::Create({Splits({0, 1, 1, 2})}, 2, {{"value", Vector<int64_t>({7, 8})}})}});
  const auto rows = [&](Validity validity) {
    return Structs({{"twin", StructuredTensor::Create({}, 2, {{"tree", StructuredTensor::Create({}, 2, {{"children", trees}})}},
                                                      StructKind::kStruct, std::move(validity))}},
                   2);
  };
  const Rows all = *Encode<EverythingColumns>(rows({}));
  const Rows some = *Encode<EverythingColumns>(rows(Bits(0b01)));
  EXPECT_EQ(some, (Rows{all[0], ""}));
}

TEST(TensorEncoderTest, MapsAreNotSerializedBytes) {
  EXPECT_EQ(ErrorOf<MapsColumns>("labels", Ragged({0, 1}, Strings({"x"}, DType::kBytes))),
            "labels: a map is made of structs with the fields key and value");
}

TEST(TensorEncoderTest, MapsMayBeStructsOfTheirKeys) {
  const auto both = [](const char* name, std::vector<Field> fields) {
    return Encode<MapsColumns>(Structs({{name, Structs(std::move(fields), 2)}}, 2));
  };
  const auto entries = [](const char* name, Value keys, Value values) {
    return Encode<MapsColumns>(Structs(
        {{name, StructuredTensor::Create({Splits({0, 2, 3})}, 3, {{"key", std::move(keys)}, {"value", std::move(values)}},
                                         StructKind::kMapEntry)}},
        2));
  };
  // One of a key is absent in the second row, in either way that a value may be.
  EXPECT_EQ(*both("labels", {{"a", Strings({"1", "3"})}, {"b", Ragged({0, 1, 1}, Strings({"2"}))}}),
            *entries("labels", Strings({"a", "b", "a"}), Strings({"1", "2", "3"})));
  EXPECT_EQ(*both("by_int32", {{"-7", Vector<double>({1, 3})}, {"8", Nullable<double>({2, 9}, 0b01)}}),
            *entries("by_int32", Vector<int32_t>({-7, 8, -7}), Vector<double>({1, 2, 3})));
  EXPECT_EQ(*both("by_bool", {{"true", Vector<float>({1, 3})}, {"false", Nullable<float>({2, 9}, 0b01)}}),
            *entries("by_bool", Value(Tensor::FromBuffer(Buffer<uint8_t>::FromVector({1, 0, 1}), DType::kBool)),
                     Vector<float>({1, 2, 3})));
  const auto tree = [](std::vector<int64_t> values) { return Structs({{"value", Vector<int64_t>(values)}}, 2); };
  EXPECT_EQ(both("by_sint64", {{"5", tree({1, 2})}})->size(), 2u);
  EXPECT_EQ(*both("labels", {}), (Rows{"", ""}));

  EXPECT_EQ(both("by_int32", {{"x", Vector<double>({1, 3})}}).status().message(),
            "by_int32.x: the name of this field is not a key of type int32");
  EXPECT_EQ(both("by_int32", {{"1", Ragged({0, 2, 2}, Vector<double>({1, 2}))}}).status().message(),
            "row 0: by_int32.1: a map has one value for each key; found 2");
  EXPECT_THAT(std::string(both("by_int32", {{"1", Vector<double>({1, 2})}, {"2", Strings({"a", "b"})}}).status().message()),
              ::testing::HasSubstr("by_int32: the values of a map have one type"));
}

TEST(TensorEncoderTest, MapsAreSortedOnRequest) {
  const StructuredTensor entries = StructuredTensor::Create(
      {Splits({0, 2})}, 2, {{"key", Strings({"b", "a"})}, {"value", Strings({"1", "2"})}}, StructKind::kMapEntry);
  const std::string unsorted = *EncodeField<MapsColumns>("labels", entries);
  const std::string sorted = *EncodeField<MapsColumns>("labels", entries, {.sort_map_keys = true});
  EXPECT_LT(unsorted.find('b'), unsorted.find('a'));
  EXPECT_LT(sorted.find('a'), sorted.find('b'));
  EXPECT_EQ(sorted.size(), unsorted.size());
}

TEST(TensorEncoderTest, DenseElementsOfMessagesAreTheirNativeValues) {
  const Tensor dense = Vector<int64_t>({0, 3}).Reshape(Shape({1, 2}));
  EXPECT_EQ(*EncodeField<WellKnownColumns>("int64_values", dense),
            *EncodeField<WellKnownColumns>("int64_values", Ragged({0, 2}, Vector<int64_t>({0, 3}))));
}

TEST(TensorEncoderTest, TheCaseOfAOneofMayHaveAnyIntegerTypeOrNames) {
  const int64_t number = ChoicesColumns::plan().FindByName("int32_choice")->number;
  const auto rows = [&](Tensor cases) {
    return Structs(
        {{"int32_choice", Vector<int32_t>({1, 2})}, {"string_choice", Strings({"x", "y"})}, {"scalar_case", std::move(cases)}},
        2);
  };
  const std::string first = *EncodeField<ChoicesColumns>("int32_choice", Vector<int32_t>({1}));
  EXPECT_EQ(*Encode<ChoicesColumns>(rows(Vector<int64_t>({number, 0}))), (Rows{first, ""}));
  EXPECT_EQ(*Encode<ChoicesColumns>(rows(Nullable<int64_t>({number, number}, 0b01))), (Rows{first, ""}));
  EXPECT_EQ(*Encode<ChoicesColumns>(rows(Strings({"int32_choice", ""}))), (Rows{first, ""}));
  EXPECT_EQ(Encode<ChoicesColumns>(rows(Strings({"", "float_value"}))).status().message(),
            "row 1: scalar_case: the oneof has no field named \"float_value\"");
  EXPECT_EQ(Encode<ChoicesColumns>(rows(Vector<float>({0.5, 0}))).status().message(),
            "row 0: scalar_case: a field of type int32 cannot hold 0.5 without loss");
}

TEST(TensorEncoderTest, UnknownFieldsAreWrittenAfterTheOthers) {
  const Tensor unknown = Strings({"\x98\x06\x01"}, DType::kBytes);
  EXPECT_EQ((*Encode<ImplicitColumns>(Structs({{"int32_value", Vector<int32_t>({7})}, {"unknown_fields", unknown}})))[0],
            "\x18\x07\x98\x06\x01");
  EXPECT_EQ((*Encode<ImplicitColumns>(Structs({{"unknown_fields", unknown}}), {.unknown_fields = false}))[0], "");
  EXPECT_EQ(
      Encode<ImplicitColumns>(Structs({{"unknown_fields", unknown}, {"colour", Vector<int32_t>({1})}})).status().message(),
      "colour: the message type structtensor.testing.Implicit has no such field (`ignore_extra_fields=true` passes over it)");
}

TEST(TensorEncoderTest, StructsThatAreAbsentCannotBeMessages) {
  const StructuredTensor rows =
      StructuredTensor::Create({}, 2, {{"int32_value", Vector<int32_t>({1, 2})}}, StructKind::kStruct, Bits(0b01));
  EXPECT_EQ(Encode<ImplicitColumns>(rows).status().message(),
            "row 1: the struct is absent, and there is no message without one; leave such rows out");
}

TEST(TensorEncoderTest, RowsHaveRankOne) {
  const StructuredTensor rows = Structs({{"int32_value", Vector<int32_t>({1, 2})}}, 2);
  EXPECT_EQ(Encode<ImplicitColumns>(rows.WithOuterPartition(Splits({0, 2}))).status().message(),
            "expected structs of rank 1, one for each message; found rank 2");
}

TEST(TensorEncoderTest, ErrorsNameTheRowOfTheBatch) {
  // Elements 0 to 4 in rows 0, 2 and 3; element 3 is in row 3.
  const StructuredTensor elements = StructuredTensor::Create(
      {Splits({0, 2, 2, 3, 5})}, 5, {{"int32_value", Vector<int64_t>({1, 2, 3, int64_t{1} << 40, 5})}});
  EXPECT_EQ(Encode<EverythingColumns>(Structs({{"implicits", elements}}, 4)).status().message(),
            "row 3: implicits.int32_value: a field of type int32 cannot hold 1099511627776 without loss");
}

TEST(TensorEncoderTest, TheCodeOfAnErrorTellsValuesFromTypes) {
  EXPECT_EQ(EncodeField<ImplicitColumns>("int32_value", Vector<int64_t>({int64_t{1} << 31})).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(EncodeField<ImplicitColumns>("int32_value", Strings({"7"})).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(TensorEncoderTest, AnEncoderIsUsableAfterAnErrorAndKeepsEarlierBatches) {
  TensorEncoder encoder = *TensorEncoder::Create(ImplicitColumns::plan());
  const absl::StatusOr<EncodedBatch> first = encoder.Encode(Structs({{"int32_value", Vector<int32_t>({7})}}));
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(encoder.Encode(Structs({{"int32_value", Strings({"x"})}})).ok());
  const absl::StatusOr<EncodedBatch> second = encoder.Encode(Structs({{"int32_value", Vector<int32_t>({8})}}));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*first)[0], "\x18\x07");
  EXPECT_EQ((*second)[0], "\x18\x08");
}

}  // namespace
}  // namespace structtensor::testing
