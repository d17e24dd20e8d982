// Arrow columns as StructuredTensors, through the Arrow C data interface: the reverse of export.h. Uses no Arrow library.
//
//   Arrow, format                                  ours                                       buffers
//   numbers "i" "l" "I" "L" "f" "g" "e"            tensor of the same type                    shared
//   small integers "c" "s", "C" "S"                int32, uint32                              copied
//   bool "b"                                       bool                                       unpacked from bits
//   utf8 "u", binary "z"                           string, bytes                              shared
//   large utf8 "U", large binary "Z"               string, bytes                              offsets to 32 bits
//   utf8 view "vu", binary view "vz"               string, bytes                              copied
//   fixed-size binary "w:N"                        bytes                                      bytes shared
//   decimal "d:P,S", of 32 to 256 bits             string of its digits, "-0.50"              copied
//   timestamp "tsn:ZONE", duration "tDn", ...      timestamp, duration of the same unit       shared
//   date64 "tdm", date32 "tdD"                     timestamp[ms], timestamp[s] of midnight    shared, copied
//   time "ttu" "ttn", "tts" "ttm"                  duration of the unit, since midnight       shared, copied
//   dictionary "c" ... "L" of any type             its values                                 copied
//   run-end encoded "+r" of any type               its values, repeated                       copied
//   list "+l", large list "+L"                     row partition                              shared; "+l" widened to 64 bits
//   list view "+vl", large list view "+vL"         row partition                              copied, unless in order
//   fixed-size list "+w:N"                         inner axis of a dense tensor, else a uniform row partition
//   map "+m"                                       structs of kind map entry with fields key and value; plain ones if keys are
//                                                  lists or structs
//   struct "+s"                                    structs
//   nullable                                       validity                                   shared
//   union "+ud:I,..." "+us:I,..."                  structs with all members as fields; one of them is present
//   null "n", as a field of a struct               no field
//   null "n", elsewhere                            structs without fields, all absent
//   extension types                                their storage type
//
// A null list becomes an empty one: row partitions cannot distinguish them. The elements of a null fixed-size list are null,
// or, if they are lists, empty. A timestamp is a point in time, whatever zone it is shown in; one without a zone is read as
// UTC. Intervals, which have no length in seconds, are errors.
#ifndef STRUCTTENSOR_IO_ARROW_IMPORT_H_
#define STRUCTTENSOR_IO_ARROW_IMPORT_H_

#include <cstdint>
#include <limits>

#include "absl/status/statusor.h"
#include "structtensor/io/arrow/c_data.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the rows of a record batch, which is a struct array and its type. Nullable fields have validity, whether a row is
// absent or not, so that all batches of a schema have the same spec, except for sizes.
// Ownership: the call takes over `array`, also when it fails: its release is null afterwards, and the result keeps its memory
//   alive. `schema` stays the caller's, and is only read during the call.
// Requires: the buffers are as long as the format says, as the producer of the struct promises. The struct does not have
//   their sizes, except those of the bytes of views.
// Errors: InvalidArgument if the type is not a struct, has a type that is not in the table above, two fields of one name, or
//   more than 200 levels; if a buffer, a child or the key of a map is missing, not aligned or, for children, too short; if
//   offsets decrease; or if indices, views, run ends or type ids of unions are out of range; OutOfRange if strings of one
//   column exceed 2 GiB; ResourceExhausted if runs, views or arrays without buffers expand to more than 50,000,000 elements, or
//   if the strings of all dictionary columns together, which are stored once and become as many as there are rows, exceed
//   max_dictionary_bytes. The message has the field path.
absl::StatusOr<StructuredTensor> ImportBatch(const ArrowSchema& schema, ArrowArray* array,
                                             int64_t max_dictionary_bytes = std::numeric_limits<int64_t>::max());

// Returns an array of any type in the table above as a value of rank 1 or more: numbers and strings as a tensor, lists as a
// ragged tensor, structs as a structured tensor. Otherwise as ImportBatch.
absl::StatusOr<Value> ImportValue(const ArrowSchema& schema, ArrowArray* array);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_ARROW_IMPORT_H_
