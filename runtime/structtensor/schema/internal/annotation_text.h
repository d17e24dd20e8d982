// Annotations in a file of their own, for schemas that one cannot edit.
#ifndef STRUCTTENSOR_SCHEMA_INTERNAL_ANNOTATION_TEXT_H_
#define STRUCTTENSOR_SCHEMA_INTERNAL_ANNOTATION_TEXT_H_

#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace structtensor::schema_internal {

// Where fields and types are annotated, by their full names, and then by the number of the option: "FILE:3:5". By number 0 it
// is the last of a name's places.
using AnnotatedAt = std::map<std::string, std::map<int, std::string>>;

// Merges the annotations in `text`, the text format of a structtensor.Annotations message, into the options of the files, where
// they override what is there; so nobody else has to know where an annotation is from.
//   file_name  what errors call the text
// Errors: InvalidArgument for the mistakes in it (the first twenty), each as "file:line:column: what is wrong": those of the
//   text format, and paths that no field or type has. Whether annotations suit their fields is judged with the schema.
absl::Status MergeAnnotations(std::string_view text, std::string_view file_name, google::protobuf::FileDescriptorSet& files,
                              AnnotatedAt& annotated_at);

}  // namespace structtensor::schema_internal

#endif  // STRUCTTENSOR_SCHEMA_INTERNAL_ANNOTATION_TEXT_H_
