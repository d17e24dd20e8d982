#include "structtensor/io/arrow/stream.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/import.h"

namespace structtensor {
namespace {

struct StreamState {
  StructuredTensorSpec spec;
  NextBatch next;
  std::vector<ArrowLayout> layouts;
  std::string last_error;
};

StreamState& StateOf(ArrowArrayStream* stream) { return *static_cast<StreamState*>(stream->private_data); }

int ErrorNumber(const absl::Status& status, StreamState& state) {
  if (status.ok()) return 0;
  state.last_error = std::string(status.message());
  return status.code() == absl::StatusCode::kResourceExhausted ? ENOMEM : EINVAL;
}

absl::Status WriteNext(StreamState& state, ArrowArray* out) {
  *out = {};
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> batch, state.next());
  return batch.has_value() ? ExportBatch(*batch, state.spec, out, state.layouts) : absl::OkStatus();
}

// An array without elements, of any type that ImportValue takes. Its buffers hold one zero, which offsets need.
struct EmptyArray {
  ArrowArray array = {};
  std::array<const void*, 3> buffers = {};
  std::vector<std::unique_ptr<EmptyArray>> children;
  std::vector<ArrowArray*> pointers;
  std::unique_ptr<EmptyArray> dictionary;
};

// Schemas come from other libraries, and deeper ones would exhaust the stack. ImportValue, which reads the result, allows less
// depth.
constexpr int kMaxSchemaDepth = 1000;

// How many buffers an array of that type has, by the specification of Arrow's columnar format.
int64_t BufferCount(std::string_view format) {
  if (format == "n" || format == "+r") return 0;
  if (format == "+s" || format.starts_with("+w:") || format.starts_with("+us:")) return 1;
  for (const std::string_view three : {"u", "z", "U", "Z", "vu", "vz", "+vl", "+vL"}) {
    if (format == three) return 3;
  }
  return 2;
}

absl::Status FillEmpty(const ArrowSchema& schema, int depth, EmptyArray& empty) {
  alignas(64) static constexpr char kZero[64] = {};
  if (depth > kMaxSchemaDepth) return absl::InvalidArgumentError("the type of an Arrow stream is nested too deep");
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  empty.buffers = {nullptr, kZero, kZero};
  empty.array.buffers = empty.buffers.data();
  empty.array.n_buffers = schema.dictionary != nullptr ? 2 : BufferCount(format);
  for (int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children == nullptr || schema.children[i] == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("child ", i, " of the type of an Arrow stream is missing"));
    }
    EmptyArray& child = *empty.children.emplace_back(std::make_unique<EmptyArray>());
    STRUCTTENSOR_RETURN_IF_ERROR(FillEmpty(*schema.children[i], depth + 1, child));
    empty.pointers.push_back(&child.array);
  }
  empty.array.n_children = schema.n_children;
  empty.array.children = empty.pointers.empty() ? nullptr : empty.pointers.data();
  if (schema.dictionary != nullptr) {
    empty.dictionary = std::make_unique<EmptyArray>();
    STRUCTTENSOR_RETURN_IF_ERROR(FillEmpty(*schema.dictionary, depth + 1, *empty.dictionary));
    empty.array.dictionary = &empty.dictionary->array;
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> EmptyValue(const ArrowSchema& schema) {
  auto empty = std::make_unique<EmptyArray>();
  STRUCTTENSOR_RETURN_IF_ERROR(FillEmpty(schema, 0, *empty));
  ArrowArray array = empty->array;
  array.private_data = empty.release();
  array.release = [](ArrowArray* released) {
    delete static_cast<EmptyArray*>(released->private_data);
    released->release = nullptr;
  };
  return ImportValue(schema, &array);
}

// Released at the end of the scope, unless it was moved away.
template <typename CStruct>
struct Released : CStruct {
  Released() : CStruct{} {}
  explicit Released(const CStruct& moved) : CStruct(moved) {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (this->release != nullptr) this->release(this);
  }
};

absl::Status StreamError(ArrowArrayStream& stream, int error_number) {
  const char* const text = stream.get_last_error(&stream);
  const std::string message =
      absl::StrCat("the Arrow stream failed: ", text == nullptr || *text == '\0' ? absl::StrCat("errno ", error_number) : text);
  return error_number == ENOMEM ? absl::ResourceExhaustedError(message) : absl::UnknownError(message);
}

}  // namespace

absl::Status ExportStream(const StructuredTensorSpec& spec, NextBatch next, ArrowArrayStream* out,
                          std::vector<ArrowLayout> layouts) {
  *out = {};
  {
    Released<ArrowSchema> schema;  // finds errors of the type now, not in the consumer
    STRUCTTENSOR_RETURN_IF_ERROR(ExportSchema(spec, &schema, layouts));
  }
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    StreamState& state = StateOf(stream);
    return ErrorNumber(ExportSchema(state.spec, schema, state.layouts), state);
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    StreamState& state = StateOf(stream);
    return ErrorNumber(WriteNext(state, array), state);
  };
  out->get_last_error = [](ArrowArrayStream* stream) {
    const StreamState& state = StateOf(stream);
    return state.last_error.empty() ? nullptr : state.last_error.c_str();
  };
  out->release = [](ArrowArrayStream* stream) {
    delete &StateOf(stream);
    stream->release = nullptr;
  };
  out->private_data = new StreamState{spec, std::move(next), std::move(layouts), {}};
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> ImportStream(ArrowArrayStream* stream) {
  if (stream->release == nullptr) {
    return absl::InvalidArgumentError("the Arrow stream is empty: it has been released or moved away");
  }
  Released<ArrowArrayStream> owned(*stream);
  stream->release = nullptr;
  Released<ArrowSchema> schema;
  if (const int error_number = owned.get_schema(&owned, &schema); error_number != 0) return StreamError(owned, error_number);
  std::vector<Value> values;
  while (true) {
    Released<ArrowArray> array;
    if (const int error_number = owned.get_next(&owned, &array); error_number != 0) return StreamError(owned, error_number);
    if (array.release == nullptr) break;
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, ImportValue(schema, &array));
    values.push_back(std::move(value));
  }
  if (values.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, EmptyValue(schema));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace structtensor
