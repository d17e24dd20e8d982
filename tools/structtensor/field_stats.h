// What messages of a known type consist of, field by field: counted on the wire, without decoding to columns.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_FIELD_STATS_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_FIELD_STATS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/plan/plan.h"

namespace structtensor::command {

// Estimates how many different values there are, with a standard error of 3 %. Source: Flajolet et al., HyperLogLog (2007).
class DistinctEstimate {
 public:
  void Add(std::string_view bytes);
  int64_t Estimate() const;

 private:
  static constexpr int kBits = 10;
  std::array<uint8_t, 1 << kBits> ranks_ = {};
};

// The values of one field at one field path.
struct FieldStats {
  const plan::FieldPlan* field = nullptr;
  std::string path;
  int64_t messages = 0;    // that could have it
  int64_t present_in = 0;  // that have it
  int64_t values = 0;      // elements of repeated fields, entries of maps
  int64_t wire_bytes = 0;  // of its tags, lengths and values
  int64_t longest = 0;     // most values in one message
  // Of scalars and strings; as text, strings cut to 40 bytes.
  std::optional<std::string> least;
  std::optional<std::string> most;
  int64_t distinct = 0;  // about so many different values
};

// Collects over messages of one type. Messages in it are followed to a depth of 16 and to 100,000 places with messages; others
// count as bytes of their field.
class FieldStatsCollector {
 public:
  // `message` must outlive the collector.
  explicit FieldStatsCollector(const plan::MessagePlan& message);
  ~FieldStatsCollector();

  // Requires: `bytes` is a message that decoders of the type accept. What they would not is counted as far as it goes.
  void Add(std::string_view bytes);

  // All fields that some message has, in the order of their paths: fields by number, what is below a field behind it.
  std::vector<FieldStats> Fields() const;
  int64_t messages() const { return messages_; }
  int64_t unknown_bytes() const { return unknown_bytes_; }

 private:
  struct Node;
  struct Column;

  Node* NodeOf(const plan::FieldPlan& field, Column& column);
  // Reads fields until `bytes` ends, or the group does; returns what is behind it.
  std::string_view Walk(std::string_view bytes, Node& node, int depth, uint32_t group_number);
  void AddValue(const plan::FieldPlan& field, Column& column, std::string_view value);
  void Append(const Node& node, const std::string& path, std::vector<FieldStats>& fields) const;

  std::unique_ptr<Node> root_;
  int64_t messages_ = 0;
  int64_t unknown_bytes_ = 0;
  int64_t nodes_ = 1;
};

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_FIELD_STATS_H_
