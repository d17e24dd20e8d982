// Annotations in a separate file, for schemas that users cannot edit.
#ifndef STRUCTTENSOR_APP_SCHEMA_INTERNAL_ANNOTATION_TEXT_H_
#define STRUCTTENSOR_APP_SCHEMA_INTERNAL_ANNOTATION_TEXT_H_

#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace structtensor::schema_internal {

// The places where fields and types are annotated ("FILE:3:5"), by full name and then by the number of the option. Number 0 has
// the last place of a name.
using AnnotatedAt = std::map<std::string, std::map<int, std::string>>;

// Merges the annotations in `text`, the text format of a structtensor.Annotations message, into the options of the files, where
// they override existing options. No other code needs to know where an annotation comes from.
//   file_name  what errors call the text
// Errors: InvalidArgument for mistakes in the text (the first twenty), each as "file:line:column: what is wrong": errors of the
//   text format, and paths that no field or type has. The schema checks later whether annotations suit their fields.
absl::Status MergeAnnotations(std::string_view text, std::string_view file_name, google::protobuf::FileDescriptorSet& files,
                              AnnotatedAt& annotated_at);

}  // namespace structtensor::schema_internal

#endif  // STRUCTTENSOR_APP_SCHEMA_INTERNAL_ANNOTATION_TEXT_H_
