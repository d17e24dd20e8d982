// Turns rows of CSV into messages.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_CSV_MESSAGES_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_CSV_MESSAGES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/core/plan/plan.h"
#include "structtensor/io/json/message_json.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::scan_internal {

// The kind of value in a cell.
enum class CellKind : uint8_t { kText, kBool, kNumber, kEnum, kTimestamp, kDuration };

// The header names fields by their paths (trip.trip_id), with the names of the .proto file, of columns or of JSON. A cell is
// the text or number that protobuf's JSON has for the field. An empty cell without quotes is a field that is not set. Times may
// have a space instead of the T, as in CSV that is written from columns. Times without a zone are in UTC.
class CsvMessages {
 public:
  // `message` must outlive this object.
  CsvMessages(const plan::MessagePlan& message, const MessageJsonOptions& options);
  ~CsvMessages();

  // Appends the message of a row, or returns what is wrong with it.
  std::optional<TextProblem> Append(std::string_view header, std::string_view row, std::string& message);

 private:
  struct Node;
  struct Column;
  struct Cell;

  // What is wrong with the header, or "".
  std::string ReadHeader(std::string_view header);
  std::string AddColumn(const std::string& name);
  // Appends the object of the node's fields that have cells; false if there are none.
  bool AppendObject(const Node& node);
  void AppendCell(const Column& column, const Cell& cell);

  const plan::MessagePlan& message_;
  const bool ignore_extra_fields_;
  MessageJson json_;
  std::string header_;  // the last header that was read
  bool has_header_ = false;
  std::unique_ptr<Node> root_;
  std::vector<Column> columns_;
  std::vector<Cell> cells_;  // of the row
  std::string text_;         // the row as JSON
};

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_CSV_MESSAGES_H_
