// Statistics of messages of a known type, field by field. Fields are counted on the wire, without decoding to columns.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_FIELD_STATS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_FIELD_STATS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/core/plan/plan.h"

namespace structtensor::convert_internal {

// Estimates how many different values there are, with a standard error of 3 %. Source: Flajolet et al., HyperLogLog (2007).
class DistinctEstimate {
 public:
  void Add(std::string_view bytes);
  void Add(uint64_t number);
  int64_t Estimate() const;

 private:
  static constexpr int kBits = 10;
  std::array<uint8_t, 1 << kBits> ranks_ = {};
};

// The values of one field at one field path.
struct FieldStats {
  const plan::FieldPlan* field = nullptr;
  std::string path;
  int64_t messages = 0;    // messages that could have it
  int64_t present_in = 0;  // messages that have it
  int64_t values = 0;      // elements of repeated fields, entries of maps
  int64_t wire_bytes = 0;  // of its tags, lengths and values
  int64_t longest = 0;     // most values in one message
  // The smallest and largest value of scalars and strings, as text. Strings are cut to 40 bytes.
  std::optional<std::string> least;
  std::optional<std::string> most;
  int64_t distinct = 0;  // an estimate of the number of different values
};

// Collects the statistics of messages of one type. Submessages are followed to a depth of 16, at up to 100,000 field paths.
// Other submessages count as values and bytes of their field only.
class FieldStatsCollector {
 public:
  // `message` must outlive the collector.
  explicit FieldStatsCollector(const plan::MessagePlan& message);
  ~FieldStatsCollector();

  // Requires: `bytes` is a message that decoders of the type accept, and wire_internal::kReadableSlackBytes can be read after
  // it. Other bytes are counted up to the first malformed field.
  void Add(std::string_view bytes);

  // All fields that some message has, in the order of their paths: fields by number, each followed by the fields below it.
  std::vector<FieldStats> Fields() const;
  int64_t messages() const { return messages_; }
  int64_t unknown_bytes() const { return unknown_bytes_; }

 private:
  struct Node;
  struct Column;

  Node* NodeOf(const plan::FieldPlan& field, Column& column);
  void Walk(std::string_view bytes, Node& node, int depth);
  static DistinctEstimate& CountValue(Column& column);
  static void AddText(Column& column, std::string_view text);
  static void AddNumber(const plan::FieldPlan& field, Column& column, uint64_t bits);
  void Append(const Node& node, const std::string& path, std::vector<FieldStats>& fields) const;

  std::unique_ptr<Node> root_;
  int64_t messages_ = 0;
  int64_t unknown_bytes_ = 0;
  int64_t nodes_ = 1;
};

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_FIELD_STATS_H_
