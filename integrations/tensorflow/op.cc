#include "op.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::tensorflow {
namespace {

// The eager runtime ends the process if memory is not aligned to this.
constexpr size_t kAlignmentBytes = 64;

// The objects that a tensor keeps alive.
struct Owner {
  std::shared_ptr<const void> of_data;
  void* block = nullptr;  // freed
};

void Deallocate(void*, size_t, void* argument) {
  auto* const owner = static_cast<Owner*>(argument);
  std::free(owner->block);
  delete owner;
}

absl::Status SetOutput(TF_OpKernelContext* context, int index, TF_Tensor* tensor) {
  const Status status;
  TF_SetOutput(context, index, tensor, status.get());
  TF_DeleteTensor(tensor);
  return status.ToAbsl();
}

// `padded`: at least kSmallCapacity bytes can be read from the beginning of `bytes`.
void SetString(std::string_view bytes, bool padded, TString& string) {
  if (bytes.size() > TString::kSmallCapacity) {
    string.large = {bytes.size() << 2 | TString::kLarge, bytes.size(), bytes.data()};
    return;
  }
  string.small.size_and_kind = static_cast<uint8_t>(bytes.size() << 2 | TString::kSmall);
  if (padded) {
    // A copy of constant size takes only a few instructions.
    std::memcpy(string.small.bytes, bytes.data(), TString::kSmallCapacity);
  } else {
    std::copy(bytes.begin(), bytes.end(), string.small.bytes);
  }
}

// Makes the string objects in one block. Strings longer than 22 bytes point to bytes that `of_data` keeps. TensorFlow may read
// such strings only while the tensor lives, and copies strings that outlive it.
// set_string(i, &string) sets each string.
template <typename Set>
absl::Status OutputStringsOfShape(TF_OpKernelContext* context, int index, std::span<const int64_t> shape, int64_t size,
                                  std::shared_ptr<const void> of_data, const Set& set_string) {
  const size_t size_bytes = static_cast<size_t>(size) * sizeof(TString);
  void* block = nullptr;
  if (posix_memalign(&block, kAlignmentBytes, std::max(size_bytes, kAlignmentBytes)) != 0) {
    return absl::ResourceExhaustedError("there is no memory for the strings");
  }
  auto* const strings = static_cast<TString*>(block);
  for (int64_t i = 0; i < size; ++i) set_string(i, strings[i]);
  auto* const owner = new Owner{std::move(of_data), block};
  return SetOutput(context, index,
                   TF_NewTensor(TF_STRING, shape.data(), static_cast<int>(shape.size()), block, size_bytes, Deallocate, owner));
}

absl::Status OutputNumbers(TF_OpKernelContext* context, int index, std::span<const int64_t> shape, const Tensor& tensor) {
  const TF_DataType type = TensorFlowDType(tensor.dtype());
  const auto [data, size_bytes] = VisitStoredType(tensor.dtype(), [&]<typename T>() {
    const std::span<const T> values = tensor.values<T>();
    return std::pair<const void*, size_t>(values.data(), values.size_bytes());
  });
  const int rank = static_cast<int>(shape.size());
  if (size_bytes > 0 && reinterpret_cast<uintptr_t>(data) % kAlignmentBytes == 0) {
    auto* const owner = new Owner{std::make_shared<const Tensor>(tensor)};
    // The memory stays unchanged: TensorFlow writes only to tensors that own their memory, and this one does not.
    return SetOutput(context, index,
                     TF_NewTensor(type, shape.data(), rank, const_cast<void*>(data), size_bytes, Deallocate, owner));
  }
  const Status status;
  TF_Tensor* const output = TF_AllocateOutput(context, index, type, shape.data(), rank, size_bytes, status.get());
  if (!status.ok()) return status.ToAbsl();
  if (size_bytes > 0) std::memcpy(TF_TensorData(output), data, size_bytes);
  TF_DeleteTensor(output);
  return absl::OkStatus();
}

std::string_view BytesOf(const TString& string) {
  switch (static_cast<TString::Kind>(string.small.size_and_kind & 3)) {
    case TString::kSmall:
      return {string.small.bytes, static_cast<size_t>(string.small.size_and_kind >> 2)};
    case TString::kLarge:
      return {string.large.bytes, string.large.size_and_kind >> 2};
    case TString::kOffset:
      return {reinterpret_cast<const char*>(&string) + string.offset.offset, string.offset.size_and_kind >> 2};
    case TString::kView:
      break;
  }
  return {string.view.bytes, string.view.size_and_kind >> 2};
}

struct AttributeSize {
  int32_t list_size = 0;
  int32_t total_bytes = 0;
};

absl::StatusOr<AttributeSize> SizeOf(TF_OpKernelConstruction* context, const char* name) {
  const Status status;
  AttributeSize size;
  TF_OpKernelConstruction_GetAttrSize(context, name, &size.list_size, &size.total_bytes, status.get());
  if (!status.ok()) return status.ToAbsl();
  size.list_size = std::max(size.list_size, 0);
  size.total_bytes = std::max(size.total_bytes, 0);
  return size;
}

void SetAllOutputs(TF_ShapeInferenceContext* context, TF_ShapeHandle* shape, TF_Status* status) {
  // The API does not report the number of outputs, but it refuses the first one that does not exist.
  for (int i = 0; TF_GetCode(status) == 0; ++i) TF_ShapeInferenceContextSetOutput(context, i, shape, status);
  TF_SetStatus(status, 0, "");
}

}  // namespace

absl::StatusOr<std::string> StringAttribute(TF_OpKernelConstruction* context, const char* name) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const AttributeSize size, SizeOf(context, name));
  std::string value(static_cast<size_t>(size.total_bytes), '\0');
  const Status status;
  TF_OpKernelConstruction_GetAttrString(context, name, value.data(), value.size(), status.get());
  if (!status.ok()) return status.ToAbsl();
  return value;
}

absl::StatusOr<std::vector<std::string>> StringListAttribute(TF_OpKernelConstruction* context, const char* name) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const AttributeSize size, SizeOf(context, name));
  std::vector<std::string> strings;
  if (size.list_size == 0) return strings;
  std::vector<char*> values(static_cast<size_t>(size.list_size));
  std::vector<size_t> sizes(values.size());
  std::string storage(static_cast<size_t>(size.total_bytes), '\0');
  const Status status;
  TF_OpKernelConstruction_GetAttrStringList(context, name, values.data(), sizes.data(), size.list_size, storage.data(),
                                            storage.size(), status.get());
  if (!status.ok()) return status.ToAbsl();
  for (size_t i = 0; i < values.size(); ++i) strings.emplace_back(values[i], sizes[i]);
  return strings;
}

absl::StatusOr<std::vector<TF_DataType>> TypeListAttribute(TF_OpKernelConstruction* context, const char* name) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const AttributeSize size, SizeOf(context, name));
  std::vector<TF_DataType> types(static_cast<size_t>(size.list_size));
  if (types.empty()) return types;
  const Status status;
  TF_OpKernelConstruction_GetAttrTypeList(context, name, types.data(), size.list_size, status.get());
  if (!status.ok()) return status.ToAbsl();
  return types;
}

absl::StatusOr<Input> Input::Of(TF_OpKernelContext* context, int index) {
  const Status status;
  TF_Tensor* tensor = nullptr;
  TF_GetInput(context, index, &tensor, status.get());
  if (!status.ok()) return status.ToAbsl();
  return Input(tensor);
}

absl::StatusOr<std::vector<std::string_view>> Input::Strings() const {
  if (rank() != 1) return absl::InvalidArgumentError(absl::StrCat("serialized messages are a vector; found rank ", rank()));
  const std::span strings(static_cast<const TString*>(data()), static_cast<size_t>(size_elements()));
  std::vector<std::string_view> views;
  views.reserve(strings.size());
  for (const TString& string : strings) views.push_back(BytesOf(string));
  return views;
}

absl::Status OutputStrings(TF_OpKernelContext* context, int index, int64_t size, std::shared_ptr<const void> owner,
                           const std::function<std::string_view(int64_t)>& string_at) {
  return OutputStringsOfShape(context, index, std::span(&size, 1), size, std::move(owner),
                              [&](int64_t i, TString& string) { SetString(string_at(i), false, string); });
}

absl::Status OutputTensor(TF_OpKernelContext* context, int index, const Tensor& tensor) {
  std::vector<int64_t> shape;
  for (int axis = 0; axis < tensor.rank(); ++axis) shape.push_back(tensor.shape()[axis]);
  if (!IsStringLike(tensor.dtype())) return OutputNumbers(context, index, shape, tensor);
  const int64_t size = tensor.size_elements();
  // The strings of a column are side by side, so all strings except the last ones have bytes after them.
  const char* const end = size == 0 ? nullptr : tensor.string_at(size - 1).data() + tensor.string_at(size - 1).size();
  return OutputStringsOfShape(context, index, shape, size, std::make_shared<const Tensor>(tensor),
                              [&](int64_t i, TString& string) {
                                const std::string_view bytes = tensor.string_at(i);
                                SetString(bytes, end - bytes.data() >= static_cast<ptrdiff_t>(TString::kSmallCapacity), string);
                              });
}

absl::Status OutputColumn(TF_OpKernelContext* context, int index, const Column& column) {
  if (const auto* elements = std::get_if<Tensor>(&column.values)) return OutputTensor(context, index, *elements);
  const RowPartition& partition = std::get<RowPartition>(column.values);
  const int64_t size = partition.nrows() + 1;
  const Status status;
  TF_Tensor* const output =
      TF_AllocateOutput(context, index, TF_INT64, &size, 1, static_cast<size_t>(size) * sizeof(int64_t), status.get());
  if (!status.ok()) return status.ToAbsl();
  // Most row splits are made here: partitions of optional fields are stored as the rows that have a value.
  partition.CopyRowSplits({static_cast<int64_t*>(TF_TensorData(output)), static_cast<size_t>(size)});
  TF_DeleteTensor(output);
  return absl::OkStatus();
}

bool RegisterOp(const OpDefinition& op) {
  const Status status;
  TF_OpDefinitionBuilder* const builder = TF_NewOpDefinitionBuilder(op.name);
  for (const char* const input : op.inputs) TF_OpDefinitionBuilderAddInput(builder, input);
  for (const char* const attribute : op.attributes) TF_OpDefinitionBuilderAddAttr(builder, attribute);
  for (const char* const output : op.outputs) TF_OpDefinitionBuilderAddOutput(builder, output);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, op.infer_shapes);
  TF_RegisterOpDefinition(builder, status.get());
  if (status.ok()) {
    TF_RegisterKernelBuilder(op.name, TF_NewKernelBuilder(op.name, "CPU", op.create, op.compute, op.destroy), status.get());
  }
  if (!status.ok()) std::fprintf(stderr, "structtensor: TensorFlow refuses %s: %s\n", op.name, TF_Message(status.get()));
  return status.ok();
}

void InferScalarAndVectors(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* const input = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, input, status);
  if (TF_GetCode(status) == 0) TF_ShapeInferenceContextWithRank(context, input, 1, input, status);
  TF_DeleteShapeHandle(input);
  if (TF_GetCode(status) != 0) return;
  InferVectors(context, status);
  TF_ShapeHandle* const scalar = TF_ShapeInferenceContextScalar(context);
  TF_ShapeInferenceContextSetOutput(context, 0, scalar, status);
  TF_DeleteShapeHandle(scalar);
}

void InferVectors(TF_ShapeInferenceContext* context, TF_Status* status) {
  constexpr auto kUnknownSize = static_cast<size_t>(-1);
  TF_ShapeHandle* const vector = TF_ShapeInferenceContextVectorFromSize(context, kUnknownSize);
  SetAllOutputs(context, vector, status);
  TF_DeleteShapeHandle(vector);
}

void InferNothing(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* const unknown = TF_NewShapeHandle();
  SetAllOutputs(context, unknown, status);
  TF_DeleteShapeHandle(unknown);
}

}  // namespace structtensor::tensorflow
