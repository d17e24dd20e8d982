// How messages become rows: the options of scans (app/scan/scan.h) and of decoders of messages in memory
// (app/scan/message_decoder.h).
#ifndef STRUCTTENSOR_APP_SCAN_ROW_OPTIONS_H_
#define STRUCTTENSOR_APP_SCAN_ROW_OPTIONS_H_

#include <string>

#include "structtensor/app/filters/selection.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"

namespace structtensor {

// docs/options.md has each option with its range, its default, and its name in the command, in Python, TensorFlow and Spark.
struct RowOptions {
  // Patterns of the fields to read. Alternatively decode.fields names their paths; do not set both.
  Selection selection = {};

  // A condition (app/filters/row_condition.h), or "": only rows for which it is true are read. Its fields are decoded first,
  // the others only for messages that have a row. If a field of the condition cannot be decoded, decode.on_error applies to the
  // message. Errors in other fields of a message are found only if it has a row.
  std::string where = "";

  // Limits of a batch apply to the messages that one thread decodes together. decode.max_errors applies to the whole scan, and
  // to the whole list of a decoder. In a scan, decode.on_error also applies to records whose framing is damaged.
  DecodeOptions decode = {};
  TensorOptions tensor = {};

  // Threads that decode. 1: the caller's thread does. More: in a scan, they decode while the caller's thread reads records and
  // uses the results; batches still come in order. A scan needs the memory of a batch (messages and columns) for each thread,
  // and of two more; of fewer if messages are longer than ScanOptions::batch_bytes. In a decoder they run only during
  // Decode(), each with a part of the list; a list of few bytes uses fewer. Range: 1 to kGreatestThreads.
  int threads = 1;
  static constexpr int kGreatestThreads = 1024;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SCAN_ROW_OPTIONS_H_
