// Paths of a google.protobuf.FieldMask in JSON.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_FIELD_MASK_TEXT_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_FIELD_MASK_TEXT_H_

#include <string>
#include <string_view>

namespace structtensor::json_internal {

// Convert a FieldMask path: "fooBar.baz" to "foo_bar.baz", and back. False if it is not a path, or does not convert back.
bool AppendMaskPath(std::string_view json, std::string& path);
bool AppendMaskJson(std::string_view path, std::string& json);

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_FIELD_MASK_TEXT_H_
