// Serialized messages that callers pass.
#ifndef STRUCTTENSOR_PYTHON_MESSAGES_H_
#define STRUCTTENSOR_PYTHON_MESSAGES_H_

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>
#include <vector>

#include "structtensor/tensor/values/value.h"

namespace structtensor::python {

// Messages, and the objects that keep their bytes.
struct Messages {
  std::vector<std::string_view> views;
  std::vector<nanobind::object> kept;
  std::optional<Value> column;  // the messages are its strings
};

// Adds the messages of a list of bytes, of a column of bytes (ours or Arrow's), or, with format, of one buffer. Throws
// TypeError and ValueError for objects without messages, and DecodeError for a damaged buffer.
void AddMessages(nanobind::handle object, nanobind::handle format, Messages& messages);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_MESSAGES_H_
