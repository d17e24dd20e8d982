// The scalars without a length, as lists for tables and switches that need one entry for each. The names are those of
// plan::Scalar and of the structs in core/wire/abi/kinds.h.
#ifndef STRUCTTENSOR_CORE_PLAN_SHARED_SCALAR_LISTS_H_
#define STRUCTTENSOR_CORE_PLAN_SHARED_SCALAR_LISTS_H_

// X(..., name) for each kind of varint, in the order of plan::Scalar.
#define STRUCTTENSOR_WRITTEN_VARINTS(X, ...) \
  X(__VA_ARGS__, Int32)                      \
  X(__VA_ARGS__, Int64)                      \
  X(__VA_ARGS__, Uint32)                     \
  X(__VA_ARGS__, Uint64)                     \
  X(__VA_ARGS__, Sint32)                     \
  X(__VA_ARGS__, Sint64)                     \
  X(__VA_ARGS__, Bool)

// The same for those that are read in different ways: an unsigned number is read as the signed one of its size.
#define STRUCTTENSOR_READ_VARINTS(X, ...) \
  X(__VA_ARGS__, Int32)                   \
  X(__VA_ARGS__, Int64)                   \
  X(__VA_ARGS__, Sint32)                  \
  X(__VA_ARGS__, Sint64)                  \
  X(__VA_ARGS__, Bool)

// X(..., bits) for each size of a fixed-width number.
#define STRUCTTENSOR_FIXED_SIZES(X, ...) \
  X(__VA_ARGS__, 32)                     \
  X(__VA_ARGS__, 64)

#endif  // STRUCTTENSOR_CORE_PLAN_SHARED_SCALAR_LISTS_H_
