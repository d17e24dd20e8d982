// The structs of the Arrow C data interface and of the C stream interface: an ABI that passes columns between libraries that
// share no code.
// Source: https://arrow.apache.org/docs/format/CDataInterface.html. The specification names the guard; whichever header comes
// first defines the structs.
#ifndef STRUCTTENSOR_IO_ARROW_C_DATA_H_
#define STRUCTTENSOR_IO_ARROW_C_DATA_H_

#include <cstdint>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

// Bits of ArrowSchema::flags.
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

// A type, or a field with its name. The owner calls release(this) once, unless it has moved the struct elsewhere and set the
// old `release` to null. A struct whose `release` is null is empty.
struct ArrowSchema {
  const char* format;    // the type, "l" for int64; see the specification's tables
  const char* name;      // UTF-8, may be null
  const char* metadata;  // binary key-value pairs, may be null
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

// The values of an array. Released as above; everything it points at lives until then.
struct ArrowArray {
  int64_t length;
  int64_t null_count;  // -1 if not counted
  int64_t offset;      // in elements, into all buffers
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_DATA_INTERFACE

// Arrays of one type, one after another. Source: https://arrow.apache.org/docs/format/CStreamInterface.html.
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

extern "C" {

// The functions return 0, or an errno-compatible error, which get_last_error describes. One thread at a time.
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);  // at the end, out->release is null
  const char* (*get_last_error)(struct ArrowArrayStream*);            // valid until the next call; may be null
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_STREAM_INTERFACE

#endif  // STRUCTTENSOR_IO_ARROW_C_DATA_H_
