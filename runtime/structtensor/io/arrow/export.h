// StructuredTensors as Arrow columns, through the Arrow C data interface: pyarrow, polars, DuckDB, Spark and Arrow C++ take
// them without copying, and neither side links the other. Does not use the Arrow library.
//
//   ours                                   Arrow, format                     buffers
//   tensor of numbers                      the same type                     shared
//   bool                                   bool "b"                          packed to bits
//   string, bytes                          utf8 "u", binary "z"              shared
//   string with names in its ArrowLayout   dictionary: int32 "i" of utf8 "u" indices and names made
//   bytes, fixed size in its ArrowLayout   fixed-size binary "w:N"           shared, unless some are absent
//   timestamp[ns], duration[ns]            "tsn:UTC", "tDn"                  shared; the same in us, ms and s
//   inner axes of a dense tensor           fixed_size_list "+w:N"            none
//   row partition                          large_list "+L" of `item`         row_splits shared
//   uniform row partition of structs, or   fixed_size_list "+w:N"            none
//     above a ragged one; rows are not empty
//   structs                                struct "+s"
//   map entries, their innermost partition map "+m" of `entries`             row_splits to 32 bits
//   validity                               the field's validity, nullable    shared, unless a slice starts inside a byte
//
// An optional dimension (a row partition whose rows have 0 or 1 values) is exported as a list, without loss or copying. To get
// a nullable column instead, decode with nullable optionals. Map entries whose key or value a projection left out become a list
// of structs. Map keys are never nullable, as Arrow demands.
#ifndef STRUCTTENSOR_IO_ARROW_EXPORT_H_
#define STRUCTTENSOR_IO_ARROW_EXPORT_H_

#include <cstddef>
#include <span>

#include "absl/status/status.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/io/arrow/c_data.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Writes the Arrow schema of batches of `spec`: a struct type with one child for each field, with the field's name, nullable
// where the spec says so. The spec of one batch and the spec of all batches (TypeSpec::WithUnknownSizes) give the same schema.
//   layouts  for columns that are exported differently from the table above
// Ownership: *out is overwritten, and its owner must release it. On error it is left empty (release is null).
// Errors: InvalidArgument if the rank is not 1, or an inner axis of a dense tensor has no known size (the message has the field
//   path).
absl::Status ExportSchema(const StructuredTensorSpec& spec, ArrowSchema* out, std::span<const ArrowLayout> layouts = {});

// Writes the rows of `batch` as a struct array, that is, a record batch. It fits the schema that ExportSchema makes of `spec`.
// Ownership: as above. *out shares the memory of `batch` and keeps it alive until it is released.
// Errors: InvalidArgument if `batch` does not have `spec` (sizes may differ), has absent values where the spec is not nullable,
//   or has an absent map key; OutOfRange if the maps of one field have more than 2^31 - 1 entries; ResourceExhausted if a
//   dictionary would have more than kMaxDictionaryNames names, or the values of a fixed size more than 2 GiB. The message has
//   the field path.
//   layouts  as given to ExportSchema; names that dictionaries lack are added to them, so that later batches have them, too
// Cost: O(number of columns + bytes of validity + bytes that the table above says are copied + names of the dictionaries).
absl::Status ExportBatch(const StructuredTensor& batch, const StructuredTensorSpec& spec, ArrowArray* out,
                         std::span<ArrowLayout> layouts = {});

// Limits damaged data, where every element is a new name: each batch has all names of its dictionaries.
inline constexpr size_t kMaxDictionaryNames = size_t{1} << 20;

// Exports `batch` with its own spec. The result also fits the schema of any spec that the call above would take.
absl::Status ExportBatch(const StructuredTensor& batch, ArrowArray* out);

// Write the Arrow type and the values of a value of rank >= 1, as if it were a field of a record batch. Structs of rank 1
// become a struct array, whose rows may be absent. Row partitions become lists.
// Ownership and errors: as above; also InvalidArgument for scalars and extension types. The name of the type is empty.
absl::Status ExportValueSchema(const TypeSpec& spec, ArrowSchema* out);
absl::Status ExportValue(const Value& value, ArrowArray* out);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_ARROW_EXPORT_H_
