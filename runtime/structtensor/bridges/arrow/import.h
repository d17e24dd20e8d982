// Arrow columns as StructuredTensors, through the Arrow C data interface: the way back of export.h. It knows no Arrow library.
//
//   Arrow, format                                  ours                                       buffers
//   numbers "i" "l" "I" "L" "f" "g" "e"            tensor of the same type                    shared
//   small integers "c" "s", "C" "S"                int32, uint32                              copied
//   bool "b"                                       bool                                       unpacked from bits
//   utf8 "u", binary "z"                           string, bytes                              shared
//   large utf8 "U", large binary "Z"               string, bytes                              offsets to 32 bits
//   fixed-size binary "w:N"                        bytes                                      bytes shared
//   timestamp "tsn:UTC", duration "tDn", ...       timestamp, duration of the same unit       shared
//   dictionary of any of these                     its values                                 copied
//   list "+l", large list "+L"                     row partition                              shared, those of "+l" to 64 bits
//   fixed-size list "+w:N"                         inner axis of a dense tensor, else a uniform row partition
//   map "+m"                                       structs of kind map entry with fields key and value
//   struct "+s"                                    structs
//   nullable                                       validity                                   shared
//   null "n", as a field of a struct               no field
//
// A list that is null becomes an empty one: row partitions do not tell them apart. One that has elements all the same, and a
// fixed-size list that is null, are errors.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_IMPORT_H_
#define STRUCTTENSOR_BRIDGES_ARROW_IMPORT_H_

#include "absl/status/statusor.h"
#include "structtensor/bridges/arrow/c_data.h"
#include "structtensor/tensor/structured_tensor.h"
#include "structtensor/tensor/value.h"

namespace structtensor {

// Returns the rows of a record batch: a struct array and its type. Fields that are nullable have validity, whether a row is
// absent or not, so that all batches of a schema have one spec but for sizes.
// Ownership: the call takes over `array`, also when it fails: its release is null then, and the result keeps what was in it
//   alive. `schema` stays the caller's, and is only read during the call.
// Requires: the buffers are as long as the format says, as the producer of the struct promises: nothing in it tells their
// sizes.
// Errors: InvalidArgument if the type is no struct, has a type that is not in the table above, two fields of one name, or more
//   than 200 levels, a child is missing or too short, offsets decrease, or an index of a dictionary has no value; OutOfRange if
//   strings of one column exceed 2 GiB. The message has the field path.
absl::StatusOr<StructuredTensor> ImportBatch(const ArrowSchema& schema, ArrowArray* array);

// Returns any array of a type in that table, as a value of rank 1 or more: numbers and strings as a tensor, lists as a ragged
// tensor, structs as a structured tensor. Otherwise as ImportBatch.
absl::StatusOr<Value> ImportValue(const ArrowSchema& schema, ArrowArray* array);

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_ARROW_IMPORT_H_
