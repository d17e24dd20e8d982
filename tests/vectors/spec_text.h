// Specs in TensorFlow's words.
#ifndef STRUCTTENSOR_TESTS_VECTORS_SPEC_TEXT_H_
#define STRUCTTENSOR_TESTS_VECTORS_SPEC_TEXT_H_

#include <string>

#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor::vectors {

// Which row partitions of a structured spec are listed. TensorFlow keeps none for structs that were declared with a fully known
// shape, and one for each axis of those that have gone through row partitions, which our specs do not distinguish.
enum class ListedPartitions { kAll, kUnlessDense };

// "Structured(shape=[2], shape_dtype=int64, row_partitions=[], fields={a: Tensor(shape=[2], dtype=int32)})"
std::string TensorFlowText(const TypeSpec& spec, ListedPartitions listed = ListedPartitions::kAll);

// The text form of TensorFlow's protocol buffer of the spec (tensorflow.TypeSpecProto), which says as much as the spec.
std::string TensorFlowProtoText(const StructuredTensorSpec& spec);

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_SPEC_TEXT_H_
