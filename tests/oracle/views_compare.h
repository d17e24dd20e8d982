// Compares batches whose strings stay in the input (BatchDecoder::DecodeViews) with batches that copied them.
#ifndef STRUCTTENSOR_TESTS_ORACLE_VIEWS_COMPARE_H_
#define STRUCTTENSOR_TESTS_ORACLE_VIEWS_COMPARE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/decode/decoder.h"

namespace structtensor::testing {

// The contents of a column as one string, without the addresses of its strings.
inline std::string Text(const ColumnView& column) {
  std::string text = std::to_string(column.nrows) + " " + std::to_string(column.nvals) + ":";
  for (uint32_t i = 0; i < column.size(); ++i) {
    text += column.is_text() ? " " + std::string(column.text(i)) : "";
    if (!column.field->is_repeated()) text += column.has(i) ? "+" : "-";
  }
  return text;
}

inline void ExpectSameOffsets(const ColumnView& copied, const ColumnView& views) {
  const auto expect_same = [](const int32_t* a, const int32_t* b, size_t size) {
    ASSERT_NE(b, nullptr);
    EXPECT_TRUE(std::equal(a, a + size + 1, b));
  };
  expect_same(copied.offsets, views.offsets, copied.size());
  expect_same(copied.compact_offsets, views.compact_offsets, copied.nvals);
  EXPECT_EQ(std::string_view(copied.bytes, static_cast<size_t>(copied.offsets[copied.size()])),
            std::string_view(views.bytes, static_cast<size_t>(views.offsets[views.size()])));
}

// Compares the columns of both nodes and of those below, first in place. Returns the number of values that were read in place.
inline size_t ExpectSameNode(const NodeView& copied, const NodeView& views, const std::string& path) {
  EXPECT_EQ(copied.touched(), views.touched()) << path;
  if (!copied.touched() || !views.touched()) return 0;
  size_t in_place = 0;
  for (size_t f = 0; f < copied.plan().fields.size(); ++f) {
    SCOPED_TRACE(path + std::string(copied.plan().fields[f].name));
    const ColumnView expected = copied.column(f);
    const ColumnView view = views.column_in_place(f);
    EXPECT_EQ(Text(view), Text(expected));
    EXPECT_EQ(copied.column_in_place(f).refs, nullptr);
    if (view.refs != nullptr) {
      in_place += view.nvals;
      for (uint32_t i = 0; i < view.nvals && !view.field->is_repeated(); ++i) {
        EXPECT_EQ(view.text(view.value_rowids[i]), expected.text(expected.value_rowids[i]));
      }
      ExpectSameOffsets(expected, views.column(f));
      EXPECT_EQ(Text(views.column_in_place(f)), Text(expected));  // still
    }
    if (expected.field->is_message() && !expected.opaque) {
      in_place += ExpectSameNode(copied.child(f), views.child(f), path + std::string(expected.field->name) + ".");
    }
  }
  EXPECT_EQ(Text(views.unknown_fields()), Text(copied.unknown_fields())) << path;
  return in_place;
}

// Decodes `batches` with a decoder that copies strings and with one that leaves them in the input, and compares each pair of
// results after the next pair has been decoded. Returns the number of values that were read in place.
inline size_t ExpectSameBatches(const plan::MessagePlan& plan, const DecodeOptions& options,
                                const std::vector<std::vector<std::string_view>>& batches) {
  BatchDecoder copying = *BatchDecoder::Create(plan, options);
  BatchDecoder viewing = *BatchDecoder::Create(plan, options);
  size_t in_place = 0;
  std::vector<DecodedBatch> before;  // copied, views
  for (const std::vector<std::string_view>& messages : batches) {
    const DecodedBatch copied = copying.Decode(messages).value();
    const DecodedBatch views = viewing.DecodeViews(messages).value();
    if (!before.empty()) in_place += ExpectSameNode(before[0].root(), before[1].root(), "");
    before = {copied, views};
    if (::testing::Test::HasFailure()) return in_place;
  }
  in_place += ExpectSameNode(before[0].root(), before[1].root(), "");
  return in_place;
}

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_VIEWS_COMPARE_H_
