// The part of TensorFlow's C API that the operation uses, declared here so that it builds without TensorFlow. The API keeps its
// binary interface: one library works with TensorFlow 2.13 and all later releases.
// Source: tensorflow/c/kernels.h, ops.h, tf_tensor.h, tf_status.h. Source of the layout of strings:
// tensorflow/core/platform/ctstring_internal.h.
#ifndef STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_C_API_H_
#define STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_C_API_H_

#include <cstddef>
#include <cstdint>

extern "C" {

struct TF_Status;
struct TF_Tensor;
struct TF_OpKernelConstruction;
struct TF_OpKernelContext;
struct TF_OpDefinitionBuilder;
struct TF_KernelBuilder;
struct TF_ShapeInferenceContext;
struct TF_ShapeHandle;

// The codes are those of absl::StatusCode.
using TF_Code = int;

enum TF_DataType : int {
  TF_FLOAT = 1,
  TF_DOUBLE = 2,
  TF_INT32 = 3,
  TF_STRING = 7,
  TF_INT64 = 9,
  TF_BOOL = 10,
  TF_UINT32 = 22,
  TF_UINT64 = 23,
};

TF_Status* TF_NewStatus();
void TF_DeleteStatus(TF_Status*);
void TF_SetStatus(TF_Status*, TF_Code, const char* message);
TF_Code TF_GetCode(const TF_Status*);
const char* TF_Message(const TF_Status*);

// `deallocator` is called once, by the thread that releases the tensor last.
TF_Tensor* TF_NewTensor(TF_DataType, const int64_t* sizes, int rank, void* data, size_t size_bytes,
                        void (*deallocator)(void* data, size_t size_bytes, void* argument), void* argument);
void TF_DeleteTensor(TF_Tensor*);
TF_DataType TF_TensorType(const TF_Tensor*);
int TF_NumDims(const TF_Tensor*);
int64_t TF_TensorElementCount(const TF_Tensor*);
void* TF_TensorData(const TF_Tensor*);

void TF_GetInput(TF_OpKernelContext*, int index, TF_Tensor** tensor, TF_Status*);
void TF_SetOutput(TF_OpKernelContext*, int index, const TF_Tensor*, TF_Status*);
TF_Tensor* TF_AllocateOutput(TF_OpKernelContext*, int index, TF_DataType, const int64_t* sizes, int rank, size_t size_bytes,
                             TF_Status*);
void TF_OpKernelContext_Failure(TF_OpKernelContext*, TF_Status*);
void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction*, TF_Status*);
void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction*, const char* name, int32_t* list_size, int32_t* total_bytes,
                                         TF_Status*);
void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction*, const char* name, char* value, size_t max_bytes,
                                           TF_Status*);
void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction*, const char* name, char** values, size_t* sizes,
                                               int max_values, void* storage, size_t storage_bytes, TF_Status*);
void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction*, const char* name, TF_DataType* values, int max_values,
                                             TF_Status*);

TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* name);
void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder*, const char* text);
void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder*, const char* text);
void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder*, const char* text);
void TF_OpDefinitionBuilderSetShapeInferenceFunction(TF_OpDefinitionBuilder*,
                                                     void (*infer)(TF_ShapeInferenceContext*, TF_Status*));
void TF_RegisterOpDefinition(TF_OpDefinitionBuilder*, TF_Status*);
TF_KernelBuilder* TF_NewKernelBuilder(const char* op, const char* device, void* (*create)(TF_OpKernelConstruction*),
                                      void (*compute)(void* kernel, TF_OpKernelContext*), void (*destroy)(void* kernel));
void TF_RegisterKernelBuilder(const char* name, TF_KernelBuilder*, TF_Status*);

TF_ShapeHandle* TF_NewShapeHandle();
void TF_DeleteShapeHandle(TF_ShapeHandle*);
void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext*, int index, TF_ShapeHandle*, TF_Status*);
void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext*, TF_ShapeHandle*, int64_t rank, TF_ShapeHandle* result,
                                      TF_Status*);
TF_ShapeHandle* TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext*);
TF_ShapeHandle* TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext*, size_t size);
void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext*, int index, TF_ShapeHandle*, TF_Status*);

}  // extern "C"

namespace structtensor::tensorflow {

// A TensorFlow string on a little-endian machine. The lowest two bits of the first byte say which member is valid.
struct TString {
  enum Kind : uint8_t { kSmall = 0, kLarge = 1, kOffset = 2, kView = 3 };
  static constexpr size_t kSmallCapacity = 22;

  union {
    struct {
      uint8_t size_and_kind;  // the size, shifted by 2
      char bytes[kSmallCapacity + 1];
    } small;
    struct {
      size_t size_and_kind;
      size_t capacity;
      const char* bytes;
    } large;
    struct {
      uint32_t size_and_kind;
      uint32_t offset;  // from the string itself
      uint32_t count;
    } offset;
    struct {
      size_t size_and_kind;
      const char* bytes;
    } view;
  };
};
static_assert(sizeof(TString) == 24);

}  // namespace structtensor::tensorflow

#endif  // STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_C_API_H_
