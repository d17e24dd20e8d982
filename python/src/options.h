// Options of decoding, encoding and framing, by the names of Python's arguments.
#ifndef STRUCTTENSOR_PYTHON_OPTIONS_H_
#define STRUCTTENSOR_PYTHON_OPTIONS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "structtensor/app/filters/selection.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"

namespace structtensor::python {

// How messages become rows.
struct RowOptions {
  Selection selection;
  std::string where;
  int threads = 1;
  DecodeOptions decode;
  TensorOptions tensor;
  bool ignore_extra_fields = false;  // in text formats: names that the message type or an enum lacks
};

// Takes the options of a dict. Throws TypeError for names that are wrong or unknown, and ValueError for wrong values. The
// defaults are those of converters: optional fields are nullable, and a message type on its own path is kept as bytes.
RowOptions RowOptionsOf(nanobind::dict options);

RecordFormat FramingOf(nanobind::handle framing);

// A list of patterns, or one.
std::vector<std::string> PatternsOf(nanobind::handle patterns, std::string_view what);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_OPTIONS_H_
