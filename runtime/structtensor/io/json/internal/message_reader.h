// Converts JSON to serialized messages.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_READER_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_READER_H_

#include <memory>
#include <string>
#include <string_view>

#include "structtensor/io/json/internal/json_types.h"
#include "structtensor/io/json/internal/problem.h"
#include "structtensor/io/json/message_json.h"

namespace structtensor::json_internal {

class MessageReader {
 public:
  // `types` and `options` must outlive the reader.
  MessageReader(JsonTypes& types, const MessageJsonOptions& options);
  ~MessageReader();

  // Appends the message. False after a problem: *byte is where reading stopped in `json`; something may have been appended.
  bool Read(std::string_view json, const JsonType& type, std::string& out, Problem& problem, size_t* byte);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_READER_H_
