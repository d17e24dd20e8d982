// JSON of random messages of all types, against libprotobuf's reading and writing of JSON.
#include "structtensor/io/json/message_json.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "log_silencer.h"
#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "structtensor/core/base/shared/json_string.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "wire_text.h"

namespace structtensor::testing {
namespace {

// "" if both are equal; of NaN, JSON keeps no more than that.
std::string Difference(const google::protobuf::Message& a, const google::protobuf::Message& b) {
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  return differencer.Compare(a, b) ? "" : difference;
}

class JsonTest : public ::testing::TestWithParam<size_t> {
 protected:
  const MessageType& type() const { return MessageTypes()[GetParam()]; }

  LogSilencer silencer_;
};

std::string NameOfType(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = MessageTypes()[info.param].name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Types, JsonTest, ::testing::Range(size_t{0}, MessageTypes().size()), NameOfType);

TEST_P(JsonTest, MessagesComeBack) {
  const plan::MessagePlan& plan = *type().plan();
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* descriptor = schema.Find(std::string(plan.full_name));
  MessageJson json(plan);
  MessageJson with_proto_names(plan, {.proto_field_names = true, .enums_as_numbers = true});
  DecodeOptions options;
  options.allow_missing_required = true;
  options.unknown_fields = DecodeOptions::UnknownFields::kDrop;
  BatchDecoder decoder = *BatchDecoder::Create(plan, options);
  BatchEncoder encoder = *BatchEncoder::Create(plan, {});
  size_t compared = 0;
  size_t read_by_libprotobuf = 0;
  size_t written_by_libprotobuf = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    FillOptions fill;
    fill.depth = static_cast<int>(Pick(random, 4));
    fill.probability = fill.depth > 2 ? 0.2 : 0.4;
    fill.extensions = seed % 2 == 0 ? &schema.pool() : nullptr;
    const auto message = schema.New(descriptor);
    Fill(random, fill, message.get());
    // As encoders write it: each key of a map once.
    const std::string filled = Canonical(*message);
    const std::string_view messages[] = {filled};
    const absl::StatusOr<DecodedBatch> batch = decoder.Decode(messages);
    ASSERT_TRUE(batch.ok()) << batch.status();
    const absl::StatusOr<EncodedBatch> encoded = encoder.Encode(*batch);
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    const std::string expected((*encoded)[0]);
    ASSERT_TRUE(message->ParsePartialFromString(expected));
    std::string text;
    const absl::Status written = json.AppendJson(expected, text);
    // Some messages have no JSON: with strings that need not be UTF-8, times out of range, values without a kind.
    if (!written.ok()) {
      EXPECT_THAT(std::string(written.message()),
                  ::testing::ContainsRegex("UTF-8|not a time|not a duration|no kind|not finite|FieldMask|Any"));
      continue;
    }
    std::string bytes;
    const absl::Status read = json.AppendMessage(text, bytes);
    ASSERT_TRUE(read.ok()) << read << "\n" << text;
    const auto again = schema.New(descriptor);
    ASSERT_TRUE(again->ParsePartialFromString(bytes)) << text;
    ASSERT_EQ(Difference(*message, *again), "") << text;
    ++compared;

    std::string other_text;
    ASSERT_TRUE(with_proto_names.AppendJson(expected, other_text).ok());
    bytes.clear();
    ASSERT_TRUE(json.AppendMessage(other_text, bytes).ok()) << other_text;
    ASSERT_TRUE(again->ParsePartialFromString(bytes));
    ASSERT_EQ(Difference(*message, *again), "") << other_text;

    // libprotobuf cannot read all that it writes, nor write all messages; where it can, the results are equal. Recent releases
    // merge what they read into the message.
    again->Clear();
    if (google::protobuf::util::JsonStringToMessage(text, again.get()).ok()) {
      ++read_by_libprotobuf;
      EXPECT_EQ(Difference(*message, *again), "") << text;
    }
    std::string by_libprotobuf;
    again->Clear();
    if (message->IsInitialized() && google::protobuf::util::MessageToJsonString(*message, &by_libprotobuf).ok() &&
        google::protobuf::util::JsonStringToMessage(by_libprotobuf, again.get()).ok() && Difference(*message, *again).empty()) {
      ++written_by_libprotobuf;
      bytes.clear();
      const absl::Status status = json.AppendMessage(by_libprotobuf, bytes);
      ASSERT_TRUE(status.ok()) << status << "\n" << by_libprotobuf;
      ASSERT_TRUE(again->ParsePartialFromString(bytes));
      EXPECT_EQ(Difference(*message, *again), "") << by_libprotobuf;
    }
  }
  EXPECT_GT(compared, 100u);
  // It has no JSON for extensions, and refuses messages without required fields.
  EXPECT_GT(read_by_libprotobuf + (plan.message_set || plan.reaches_required ? 1 : 0), 0u);
  EXPECT_GT(written_by_libprotobuf + (plan.message_set || plan.reaches_required ? 1 : 0), 0u);
  std::cout << "compared: " << plan.full_name << ", " << compared << " messages; libprotobuf read " << read_by_libprotobuf
            << " of our messages, we read " << written_by_libprotobuf << " of its messages" << std::endl;
}

// JSON with white space around each token outside of strings.
std::string Spaced(std::string_view json) {
  std::string spaced;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const bool is_sign = !in_string && std::string_view("{}[],:").find(c) != std::string_view::npos;
    if (is_sign) spaced += " \n";
    spaced += c;
    if (is_sign) spaced += '\t';
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\' && i + 1 < json.size()) spaced += json[++i];
  }
  return spaced;
}

// What a text is read as: bytes, or a problem without its place.
std::string Outcome(MessageJson& json, std::string_view text) {
  std::string bytes;
  size_t byte;
  std::string problem;
  return json.AppendMessage(text, bytes, &byte, &problem) ? "bytes " + bytes : "problem " + problem;
}

// Values followed by white space are read by other code than values without it, as most writers write them.
TEST_P(JsonTest, WhiteSpaceChangesNothing) {
  const plan::MessagePlan& plan = *type().plan();
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* descriptor = schema.Find(std::string(plan.full_name));
  MessageJson json(plan);
  size_t compared = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    FillOptions fill;
    fill.depth = static_cast<int>(Pick(random, 4));
    fill.probability = 0.3;
    const auto message = schema.New(descriptor);
    Fill(random, fill, message.get());
    std::string text;
    if (!json.AppendJson(Canonical(*message), text).ok()) continue;
    ASSERT_EQ(Outcome(json, text), Outcome(json, Spaced(text))) << text;
    ++compared;
  }
  EXPECT_GT(compared, 20u);
}

// Each value in each field, alone and in a list, in front of another member.
TEST_P(JsonTest, WhiteSpaceChangesNothingInAnyValue) {
  const plan::MessagePlan& plan = *type().plan();
  MessageJson json(plan);
  std::vector<std::string> values = {"null",
                                     "true",
                                     "false",
                                     "tru",
                                     "\"\"",
                                     "\"a\"",
                                     "\"\\u0041\"",
                                     "\"\\ud800\"",
                                     "\"\\\\\"",
                                     "\"true\"",
                                     "{}",
                                     "[]",
                                     "[[]]",
                                     "{\"\":1}",
                                     "{\"1\":1}",
                                     "1 2",
                                     "\"NaN\"",
                                     "\"-Infinity\"",
                                     "NaN",
                                     "\"AAA=\"",
                                     "\"AAAA\"",
                                     "\"AA==\"",
                                     "\"AAB=\"",
                                     "\"AAA\"",
                                     "\"====\"",
                                     "\"AB\u00c4D\"",
                                     "\"A===\"",
                                     "\"-_+/\"",
                                     "\"AA A\"",
                                     "\"" + std::string(100, 'x') + "\"",
                                     "\"" + std::string(99, 'x') + "\\n\""};
  for (const char* const number : {"0",
                                   "-0",
                                   "1",
                                   "-1",
                                   "+1",
                                   "01",
                                   "-",
                                   "",
                                   "1.0",
                                   "1.5",
                                   "1e2",
                                   "1e",
                                   "-1e-2",
                                   "0.1",
                                   "123456.789",
                                   "1e400",
                                   "1e-400",
                                   "16777217",
                                   "16777219.0",
                                   "3.4028236e38",
                                   "127",
                                   "128",
                                   "2147483647",
                                   "2147483648",
                                   "-2147483648",
                                   "-2147483649",
                                   "4294967295",
                                   "4294967296",
                                   "9007199254740993",
                                   "9223372036854775807",
                                   "9223372036854775808",
                                   "-9223372036854775808",
                                   "-9223372036854775809",
                                   "18446744073709551615",
                                   "18446744073709551616",
                                   "99999999999999999999",
                                   "123456789012345678901"}) {
    values.push_back(number);
    values.push_back(std::string("\"") + number + "\"");
  }
  for (const plan::FieldPlan& field : plan.fields) {
    if (field.cardinality == plan::Cardinality::kOneofCase) continue;
    const std::string name = "\"" + std::string(field.name) + "\":";
    for (const std::string& value : values) {
      for (const std::string& member : {name + value, name + "[" + value + "]", name + "[" + value + "," + value + "]",
                                        name + value + "," + name + value}) {
        // At the end of the text, and followed by more text, which may be read as a word.
        for (const std::string& text : {"{" + member + "}", "{" + member + ",\"no such name\":{}}"}) {
          ASSERT_EQ(Outcome(json, text), Outcome(json, Spaced(text))) << text;
        }
      }
    }
  }
}

// Text that is cut or changed is read as a message, or refused without appending anything.
TEST_P(JsonTest, DamagedTextIsReadOrRefused) {
  const plan::MessagePlan& plan = *type().plan();
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* descriptor = schema.Find(std::string(plan.full_name));
  MessageJson json(plan);
  MessageJson lenient(plan, {.ignore_extra_fields = true});
  const auto parsed = schema.New(descriptor);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto message = schema.New(descriptor);
    Fill(random, {.probability = 0.2, .depth = 2}, message.get());
    std::string text;
    if (!json.AppendJson(Canonical(*message), text).ok()) continue;
    for (int i = 0; i < 50; ++i) {
      std::string damaged = text;
      for (size_t changes = 1 + Pick(random, 3); changes > 0 && !damaged.empty(); --changes) {
        const size_t place = Pick(random, damaged.size());
        constexpr std::string_view kBytes = "{}[]\",:\\01.eE+-_ ntfN\xc3\xff";
        switch (Pick(random, 3)) {
          case 0:
            damaged.erase(place, 1 + Pick(random, 8));
            break;
          case 1:
            damaged.resize(place);
            break;
          default:
            damaged[place] = kBytes[Pick(random, kBytes.size())];
        }
      }
      std::string bytes = "before";
      if (json.AppendMessage(damaged, bytes).ok()) {
        EXPECT_TRUE(parsed->ParsePartialFromString(bytes.substr(6))) << damaged;
        std::string lenient_bytes;
        EXPECT_TRUE(lenient.AppendMessage(damaged, lenient_bytes).ok());
        EXPECT_EQ(lenient_bytes, bytes.substr(6));
      } else {
        EXPECT_EQ(bytes, "before");
      }
    }
  }
}

TEST(JsonStrings, EscapesAreFoundAtEachPlace) {
  const MessageType* const type = FindMessageType("Implicit");
  ASSERT_NE(type, nullptr);
  MessageJson json(*type->plan());
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const auto message = schema.New(schema.Find(std::string(type->plan()->full_name)));
  const google::protobuf::FieldDescriptor* const field = message->GetDescriptor()->FindFieldByName("string_value");
  ASSERT_NE(field, nullptr);
  for (size_t size = 0; size <= 70; ++size) {  // beyond the sizes that words and vectors have
    for (size_t at = 0; at <= size; ++at) {
      // At `size`, nothing is escaped.
      std::string content(size, 'x');
      std::string written = content;
      if (at < size) {
        content[at] = '"';
        written.insert(at, 1, '\\');
        written[at + 1] = '"';
      }
      std::string bytes;
      ASSERT_TRUE(json.AppendMessage("{ \"string\\u0056alue\" : \"" + written + "\" }", bytes).ok()) << written;
      ASSERT_TRUE(message->ParsePartialFromString(bytes));
      EXPECT_EQ(message->GetReflection()->GetString(*message, field), content);
    }
  }
}

// Strings are escaped piece by piece: what begins in one piece may end in the next.
TEST(JsonStrings, EscapesAndSequencesOfBytesAtEachPlaceOfLongStrings) {
  const MessageType* const type = FindMessageType("Implicit");
  ASSERT_NE(type, nullptr);
  MessageJson json(*type->plan());
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const auto message = schema.New(schema.Find(std::string(type->plan()->full_name)));
  const auto again = schema.New(message->GetDescriptor());
  const google::protobuf::FieldDescriptor* const field = message->GetDescriptor()->FindFieldByName("string_value");
  for (const std::string inserted :
       {"\"", "\n", "\x7f", "\xc3\xa9", "\xe2\x82\xac\x01", "\xf0\x9f\x8d\xb2", "\\\xf0\x9f\x8d\xb2\xc3\xa9"}) {
    for (const size_t near : {0u, 16u, 256u, 1024u, 2048u}) {
      for (size_t at = near < 8 ? 0 : near - 8; at < near + 8; ++at) {
        const std::string content = std::string(at, 'x') + inserted + std::string(at % 40, 'y') + inserted;
        message->GetReflection()->SetString(message.get(), field, content);
        std::string text;
        ASSERT_TRUE(json.AppendJson(message->SerializeAsString(), text).ok());
        ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(text, again.get()).ok()) << text;
        EXPECT_EQ(again->GetReflection()->GetString(*again, field), content);
        std::string of_text;  // by the function that may not read beyond the end
        AppendJsonString(content, of_text);
        EXPECT_EQ("{\"stringValue\":" + of_text + "}", text);
      }
    }
  }
  for (const size_t at : {0u, 10u, 255u, 1023u, 1024u, 5000u}) {
    std::string bytes;
    AppendVarint(bytes, static_cast<uint64_t>(field->number()) << 3 | 2);
    AppendVarint(bytes, at + 2);
    bytes += std::string(at, 'x') + "\xe2\x82";
    std::string text = "before";
    EXPECT_FALSE(json.AppendJson(bytes, text).ok()) << at;
    EXPECT_EQ(text, "before");
  }
}

TEST(JsonStrings, StringsOfAnySizeByOneReader) {
  const MessageType* const type = FindMessageType("Implicit");
  ASSERT_NE(type, nullptr);
  MessageJson json(*type->plan());
  for (const size_t size : {0u, 4000u, 4096u, 5000u, 100'000u, 10u, 100'001u}) {
    std::string bytes = "before";
    ASSERT_TRUE(json.AppendMessage("{\"stringValue\":\"" + std::string(size, 'x') + "\"}", bytes).ok()) << size;
    EXPECT_EQ(bytes.substr(0, 6), "before");
    EXPECT_EQ(bytes.substr(bytes.size() - size), std::string(size, 'x'));
  }
  for (const std::string text :
       {"", " ", "{", "{\"stringValue\"", "{\"stringValue\":", "{\"stringValue\":\"a\"", "{}}", "{} {}", "[", "]", ",", ":",
        "{\"stringValue\":\"a\"\"b\"}", "{\"stringValue\":\"a\",}", "{,}", "{\"stringValue\" \"a\"}", "\\\"x\" \""}) {
    std::string bytes = "before";
    EXPECT_FALSE(json.AppendMessage(text, bytes).ok()) << text;
    EXPECT_EQ(bytes, "before");
  }
}

}  // namespace
}  // namespace structtensor::testing
