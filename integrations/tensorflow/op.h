// Shared by all operations: TensorFlow's status, attributes and tensors in types of this library, and the registration of
// operations.
#ifndef STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_OP_H_
#define STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_OP_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "c_api.h"
#include "columns.h"
#include "structtensor/app/scan/shared/option_table.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::tensorflow {

class Status {
 public:
  Status() : status_(TF_NewStatus()) {}
  ~Status() { TF_DeleteStatus(status_); }
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  // With the names that options have in TensorFlow.
  void Set(const absl::Status& status) {
    const std::string text = scan_internal::WithOptionNames(scan_internal::Face::kTensorFlow, std::string(status.message()));
    TF_SetStatus(status_, static_cast<TF_Code>(status.code()), text.c_str());
  }
  bool ok() const { return TF_GetCode(status_) == 0; }
  absl::Status ToAbsl() const { return {static_cast<absl::StatusCode>(TF_GetCode(status_)), TF_Message(status_)}; }
  TF_Status* get() const { return status_; }

 private:
  TF_Status* const status_;
};

// --- Attributes of a kernel that is being made. Errors: those of TensorFlow, such as an unknown attribute.

absl::StatusOr<std::string> StringAttribute(TF_OpKernelConstruction* context, const char* name);
absl::StatusOr<std::vector<std::string>> StringListAttribute(TF_OpKernelConstruction* context, const char* name);
absl::StatusOr<std::vector<TF_DataType>> TypeListAttribute(TF_OpKernelConstruction* context, const char* name);

// --- Inputs and outputs of a kernel that computes

// An input tensor of an operation. It is kept until the last copy is destroyed.
class Input {
 public:
  static absl::StatusOr<Input> Of(TF_OpKernelContext* context, int index);

  TF_DataType type() const { return TF_TensorType(tensor_.get()); }
  int rank() const { return TF_NumDims(tensor_.get()); }
  int64_t size_elements() const { return TF_TensorElementCount(tensor_.get()); }
  const void* data() const { return TF_TensorData(tensor_.get()); }
  const std::shared_ptr<TF_Tensor>& owner() const { return tensor_; }

  // The strings; they live as long as the tensor. Errors: InvalidArgument if the tensor is not a vector. Requires: a tensor of
  // strings.
  absl::StatusOr<std::vector<std::string_view>> Strings() const;

 private:
  explicit Input(TF_Tensor* tensor) : tensor_(tensor, TF_DeleteTensor) {}

  std::shared_ptr<TF_Tensor> tensor_;
};

// Sets output `index` to a vector of `size` strings, string_at(i) for each i. Strings longer than 22 bytes are not copied;
// `owner` keeps them.
absl::Status OutputStrings(TF_OpKernelContext* context, int index, int64_t size, std::shared_ptr<const void> owner,
                           const std::function<std::string_view(int64_t)>& string_at);

// Sets output `index` to `tensor`, with its shape. Numbers are not copied if they have the alignment that TensorFlow needs.
absl::Status OutputTensor(TF_OpKernelContext* context, int index, const Tensor& tensor);

// The same for a column: its elements or row splits.
absl::Status OutputColumn(TF_OpKernelContext* context, int index, const Column& column);

// --- Operations

struct OpDefinition {
  const char* name;
  std::initializer_list<const char*> inputs, outputs, attributes;
  void (*infer_shapes)(TF_ShapeInferenceContext*, TF_Status*);
  // The functions of a kernel. The operation passes the pointer that `create` returned.
  void* (*create)(TF_OpKernelConstruction*);
  void (*compute)(void* kernel, TF_OpKernelContext*);
  void (*destroy)(void* kernel);
};

// If TensorFlow refuses the operation, prints why on stderr and returns false.
bool RegisterOp(const OpDefinition& op);

// Defines create and destroy of a Kernel with
//   static absl::StatusOr<Kernel> Create(TF_OpKernelConstruction*);  absl::Status Compute(TF_OpKernelContext*);
template <typename Kernel>
void* CreateKernel(TF_OpKernelConstruction* context) {
  absl::StatusOr<Kernel> kernel = Kernel::Create(context);
  if (kernel.ok()) return new Kernel(*std::move(kernel));
  Status status;
  status.Set(kernel.status());
  TF_OpKernelConstruction_Failure(context, status.get());
  return nullptr;
}

template <typename Kernel>
void Compute(void* kernel, TF_OpKernelContext* context) {
  const absl::Status computed = static_cast<Kernel*>(kernel)->Compute(context);
  if (computed.ok()) return;
  Status status;
  status.Set(computed);
  TF_OpKernelContext_Failure(context, status.get());
}

template <typename Kernel>
void DestroyKernel(void* kernel) {
  delete static_cast<Kernel*>(kernel);
}

// For operations on a vector of strings. The first output is a scalar, and all others are vectors.
void InferScalarAndVectors(TF_ShapeInferenceContext* context, TF_Status* status);

// For operations whose outputs are vectors, whatever the inputs are.
void InferVectors(TF_ShapeInferenceContext* context, TF_Status* status);

// For operations whose outputs have any shape.
void InferNothing(TF_ShapeInferenceContext* context, TF_Status* status);

}  // namespace structtensor::tensorflow

#endif  // STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_OP_H_
