// The points where libprotobuf does not read protobuf's JSON as the specification says, and we do. The conformance suite
// decides what is right (tools/conformance). This test prints the points, which depend on the release of libprotobuf.
#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "log_silencer.h"
#include "message_types.h"
#include "oracle.h"
#include "structtensor/io/json/message_json.h"

namespace structtensor::testing {
namespace {

enum class Right { kRead, kRefused };
using enum Right;

struct Point {
  const char* type;
  const char* text;
  Right right;
};

// Source of what is right: https://protobuf.dev/programming-guides/json/, and binary_json_conformance_suite of protobuf's
// conformance tests.
constexpr Point kPoints[] = {
    // Numbers.
    {"Implicit", R"({"int32Value": 1})", kRead},
    {"Implicit", R"({"int32Value": "1"})", kRead},
    {"Implicit", R"({"int32Value": 1.0})", kRead},
    {"Implicit", R"({"int32Value": 1e5})", kRead},
    {"Implicit", R"({"int32Value": "1e5"})", kRead},
    {"Implicit", R"({"int32Value": 1.5})", kRefused},
    {"Implicit", R"({"int32Value": "1.5"})", kRefused},
    {"Implicit", R"({"int32Value": 2147483648})", kRefused},
    {"Implicit", R"({"int32Value": "2147483648"})", kRefused},
    {"Implicit", R"({"int32Value": " 1"})", kRefused},
    {"Implicit", R"({"int32Value": "1 "})", kRefused},
    {"Implicit", R"({"int32Value": ""})", kRefused},
    {"Implicit", R"({"int32Value": 0x10})", kRefused},
    {"Implicit", R"({"int32Value": +1})", kRefused},
    {"Implicit", R"({"int32Value": 01})", kRefused},
    {"Implicit", R"({"int32Value": true})", kRefused},
    {"Implicit", R"({"uint32Value": -1})", kRefused},
    {"Implicit", R"({"uint32Value": 4294967296})", kRefused},
    {"Implicit", R"({"int64Value": 9223372036854775807})", kRead},
    {"Implicit", R"({"int64Value": "9223372036854775808"})", kRefused},
    {"Implicit", R"({"uint64Value": "18446744073709551615"})", kRead},
    {"Implicit", R"({"uint64Value": 18446744073709551616})", kRefused},
    {"Implicit", R"({"floatValue": 3.402823e+38})", kRead},
    {"Implicit", R"({"floatValue": 3.502823e+38})", kRefused},
    {"Implicit", R"({"floatValue": "NaN"})", kRead},
    {"Implicit", R"({"floatValue": NaN})", kRefused},
    {"Implicit", R"({"floatValue": "-Infinity"})", kRead},
    {"Implicit", R"({"doubleValue": 1.89769e+308})", kRefused},
    {"Implicit", R"({"doubleValue": "1.5"})", kRead},
    {"Implicit", R"({"doubleValue": ""})", kRefused},
    {"Implicit", R"({"boolValue": "true"})", kRefused},
    {"Implicit", R"({"boolValue": 1})", kRefused},
    // Enums, strings and bytes.
    {"Implicit", R"({"colorValue": "COLOR_NEGATIVE"})", kRead},
    {"Implicit", R"({"colorValue": -5})", kRead},
    {"Implicit", R"({"colorValue": 77})", kRead},
    {"Implicit", R"({"colorValue": "color_negative"})", kRefused},
    {"Implicit", R"({"colorValue": "NO_COLOR"})", kRefused},
    {"Implicit", R"({"stringValue": 1})", kRefused},
    {"Implicit", R"({"stringValue": "\ud83d\ude01"})", kRead},
    {"Implicit", R"({"stringValue": "\ud800"})", kRefused},
    {"Implicit", R"({"stringValue": "\ude01\ud83d"})", kRefused},
    {"Implicit", "{\"stringValue\": \"\xff\"}", kRefused},
    {"Implicit", R"({"bytesValue": "-_8"})", kRead},
    {"Implicit", R"({"bytesValue": "+/8="})", kRead},
    {"Implicit", R"({"bytesValue": "a"})", kRefused},
    // Names, nulls, and the text around.
    {"Implicit", R"({"int32_value": 1})", kRead},
    {"Implicit", R"({"int32Value": 1, "int32_value": 2})", kRefused},
    {"Implicit", R"({"int32Value": 1, "int32Value": 2})", kRefused},
    {"Implicit", R"({"int32Value": null})", kRead},
    {"Implicit", R"({"unknown": 1})", kRefused},
    {"Implicit", R"({'int32Value': 1})", kRefused},
    {"Implicit", R"({int32Value: 1})", kRefused},
    {"Implicit", R"({"int32Value": 1,})", kRefused},
    {"Implicit", R"({"int32Value": 1} {})", kRefused},
    {"Implicit", R"([])", kRefused},
    {"Implicit", R"(null)", kRefused},
    {"Implicit", R"()", kRefused},
    // Repeated fields, maps and oneofs.
    {"Packed", R"({"int32Values": [1, 2]})", kRead},
    {"Packed", R"({"int32Values": [1, null]})", kRefused},
    {"Packed", R"({"int32Values": 1})", kRefused},
    {"Packed", R"({"int32Values": [1, 2,]})", kRefused},
    {"Maps", R"({"labels": {"a": "b"}})", kRead},
    {"Maps", R"({"labels": {"a": null}})", kRefused},
    {"Maps", R"({"labels": {"a": "b", "a": "c"}})", kRefused},
    {"Maps", R"({"labels": []})", kRefused},
    {"Maps", R"({"byInt32": {"1": 0.5}})", kRead},
    {"Maps", R"({"byInt32": {"x": 0.5}})", kRefused},
    {"Maps", R"({"byBool": {"true": 1, "false": 2}})", kRead},
    {"Maps", R"({"byBool": {"1": 1}})", kRefused},
    {"Choices", R"({"int32Choice": 1, "int64Choice": 2})", kRefused},
    {"Choices", R"({"int32Choice": 1, "int64Choice": null})", kRead},
    // Well-known types.
    {"WellKnown", R"({"timestamp": "1970-01-01T00:00:00Z"})", kRead},
    {"WellKnown", R"({"timestamp": "1970-01-01T00:00:00.010+01:00"})", kRead},
    {"WellKnown", R"({"timestamp": "0001-01-01T00:00:00Z"})", kRead},
    {"WellKnown", R"({"timestamp": "0000-01-01T00:00:00Z"})", kRefused},
    {"WellKnown", R"({"timestamp": "1970-01-01T00:00:00"})", kRefused},
    {"WellKnown", R"({"timestamp": "1970-01-01t00:00:00z"})", kRefused},
    {"WellKnown", R"({"timestamp": "1970-02-30T00:00:00Z"})", kRefused},
    {"WellKnown", R"({"timestamp": 0})", kRefused},
    {"WellKnown", R"({"duration": "1.000000001s"})", kRead},
    {"WellKnown", R"({"duration": "-0.5s"})", kRead},
    {"WellKnown", R"({"duration": "315576000001s"})", kRefused},
    {"WellKnown", R"({"duration": "1"})", kRefused},
    {"WellKnown", R"({"duration": 1})", kRefused},
    {"WellKnown", R"({"fieldMask": "foo,barBaz"})", kRead},
    {"WellKnown", R"({"fieldMask": "foo_bar"})", kRefused},
    {"WellKnown", R"({"int64Value": "1"})", kRead},
    {"WellKnown", R"({"int64Value": {"value": 1}})", kRefused},
    {"WellKnown", R"({"int64Value": null})", kRead},
    {"WellKnown", R"({"int64Values": [null]})", kRefused},
    {"WellKnown", R"({"struct": {"a": [1, {"b": null}]}})", kRead},
    {"WellKnown", R"({"struct": []})", kRefused},
    {"WellKnown", R"({"value": null})", kRead},
    {"WellKnown", R"({"value": 1e400})", kRefused},
    {"WellKnown", R"({"list": [null, "a", 1]})", kRead},
    {"WellKnown", R"({"list": {}})", kRefused},
    {"WellKnown", R"({"any": {"value": "1s"}})", kRefused},
    {"WellKnown", R"({"any": {"@type": "type.googleapis.com/no.such.Type"}})", kRefused},
    {"WellKnown", R"({"any": {}})", kRead},
    {"WellKnown", R"({"empty": {}})", kRead},
    {"WellKnown", R"({"empty": {"a": 1}})", kRefused},
};

// NaN is as good as any other.
bool Equal(const google::protobuf::Message& a, const google::protobuf::Message& b) {
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  return differencer.Compare(a, b);
}

TEST(LibprotobufDifferencesTest, EveryPointIsAsTheSpecificationHasIt) {
  LogSilencer silencer;
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  int differences = 0;
  for (const Point& point : kPoints) {
    const MessageType* type = FindMessageType(point.type);
    ASSERT_NE(type, nullptr) << point.type;
    MessageJson json(*type->plan());
    std::string bytes;
    const absl::Status status = json.AppendMessage(point.text, bytes);
    EXPECT_EQ(status.ok(), point.right == Right::kRead) << point.type << " " << point.text << ": " << status;
    const google::protobuf::Descriptor* descriptor = schema.Find(std::string(type->plan()->full_name));
    const std::unique_ptr<google::protobuf::Message> ours = schema.New(descriptor);
    const std::unique_ptr<google::protobuf::Message> theirs = schema.New(descriptor);
    const bool read = google::protobuf::util::JsonStringToMessage(point.text, theirs.get()).ok();
    ASSERT_TRUE(ours->ParsePartialFromString(bytes));
    std::string difference;
    if (status.ok() != read) {
      difference = read ? "libprotobuf reads what is refused here" : "libprotobuf refuses what is read here";
    } else if (read && !Equal(*ours, *theirs)) {
      difference = "libprotobuf reads another message than " + ours->ShortDebugString();
    }
    if (difference.empty()) continue;
    ++differences;
    std::cout << difference << ": " << point.type << " " << point.text << "\n";
  }
  std::cout << "libprotobuf differs in " << differences << " of " << std::size(kPoints) << " points" << std::endl;
}

}  // namespace
}  // namespace structtensor::testing
