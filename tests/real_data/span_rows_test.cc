// Recorded OpenTelemetry traces, read row by row as an application reads them: the values are those of the columns, which
// columns_test.cc compares with libprotobuf.
#include <gtest/gtest.h>

#ifdef STRUCTTENSOR_HAVE_OTLP_TRACES_ASTRONOMY
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "delimited_file.h"
#include "opentelemetry/proto/trace/v1/trace.structtensor.h"
#endif

namespace structtensor::testing {
namespace {

#ifdef STRUCTTENSOR_HAVE_OTLP_TRACES_ASTRONOMY

namespace trace = opentelemetry::proto::trace::v1;
namespace common = opentelemetry::proto::common::v1;

template <typename Column>
auto ValuesOf(const Column& column) {
  const auto values = column.values();
  return std::vector(values.begin(), values.end());
}

TEST(SpanRowsTest, RowsHaveTheValuesOfColumns) {
  const std::string bytes = ReadWholeFile(STRUCTTENSOR_DATA "/otlp_traces_astronomy/messages.bin");
  const auto batch = trace::TracesDataDecoder().Decode(SplitDelimited(bytes));
  ASSERT_TRUE(batch.ok()) << batch.status();

  std::vector<std::string_view> names;
  std::vector<int32_t> kinds;
  std::vector<std::string_view> keys;
  std::vector<std::string_view> strings;
  std::vector<int64_t> integers;
  size_t servers = 0;
  size_t failed = 0;
  for (auto traces : *batch) {
    for (auto resource : traces.resource_spans()) {
      for (auto scope : resource.scope_spans()) {
        for (auto span : scope.spans()) {
          names.push_back(span.name());
          kinds.push_back(static_cast<int32_t>(span.kind()));
          if (span.kind() == trace::Span_SpanKindEnum::SPAN_KIND_SERVER) ++servers;
          if (span.has_status() && span.status().code() == trace::Status_StatusCodeEnum::STATUS_CODE_ERROR) ++failed;
          EXPECT_EQ(EnumName(span.kind()).substr(0, 10), "SPAN_KIND_");
          for (auto attribute : span.attributes()) {
            keys.push_back(attribute.key());
            switch (auto value = attribute.value(); value.value_case()) {
              case common::AnyValueRow::ValueCase::kStringValue:
                strings.push_back(value.string_value());
                break;
              case common::AnyValueRow::ValueCase::kIntValue:
                integers.push_back(value.int_value());
                break;
              default:
                break;
            }
          }
        }
      }
    }
  }
  const auto spans = batch->resource_spans().scope_spans().spans();
  const auto attributes = spans.attributes();
  const auto of_strings = attributes.value().string_value().present_values();
  const auto of_integers = attributes.value().int_value().present_values();
  EXPECT_GT(names.size(), 1000u);
  EXPECT_EQ(names, ValuesOf(spans.name()));
  EXPECT_EQ(kinds, ValuesOf(spans.kind()));
  EXPECT_EQ(keys, ValuesOf(attributes.key()));
  EXPECT_EQ(strings, std::vector<std::string_view>(of_strings.begin(), of_strings.end()));
  EXPECT_EQ(integers, std::vector<int64_t>(of_integers.begin(), of_integers.end()));
  EXPECT_GT(servers, 0u);
  EXPECT_LT(servers, names.size());
  EXPECT_LT(failed, names.size());
}

#else

TEST(SpanRowsTest, RowsHaveTheValuesOfColumns) { GTEST_SKIP() << "real data set otlp_traces_astronomy is missing"; }

#endif

}  // namespace
}  // namespace structtensor::testing
