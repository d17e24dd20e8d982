// Real messages survive the way to protobuf's JSON and back.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>

#include "oracle.h"
#include "real_data.h"
#include "structtensor/io/json/message_json.h"

namespace structtensor::testing {
namespace {

class JsonTest : public RealDataTest {};

TEST_P(JsonTest, EveryMessageComesBack) {
  MessageJson json(plan());
  for (size_t i = 0; i < messages().size(); ++i) {
    SCOPED_TRACE("message " + std::to_string(i));
    const auto expected = schema().New(type());
    ASSERT_TRUE(expected->ParsePartialFromString(std::string(messages()[i])));
    expected->DiscardUnknownFields();
    const std::string canonical = Canonical(*expected);
    std::string text;
    const absl::Status written = json.AppendJson(canonical, text);
    ASSERT_TRUE(written.ok()) << written;
    std::string bytes;
    const absl::Status read = json.AppendMessage(text, bytes);
    ASSERT_TRUE(read.ok()) << read;
    const auto again = schema().New(type());
    ASSERT_TRUE(again->ParsePartialFromString(bytes));
    ASSERT_EQ(Canonical(*again), canonical);
  }
  std::cout << "compared: " << set().name() << ", " << messages().size() << " messages" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Sets, JsonTest, EachRealDataSet(), NameOfRealDataSet);

}  // namespace
}  // namespace structtensor::testing
