// The implementation of TextFormat, for Schema, which has libprotobuf's descriptors.
#ifndef STRUCTTENSOR_APP_SCHEMA_INTERNAL_TEXT_FORMAT_IMPL_H_
#define STRUCTTENSOR_APP_SCHEMA_INTERNAL_TEXT_FORMAT_IMPL_H_

#include <google/protobuf/message.h>

#include <memory>

#include "structtensor/app/schema/text_format.h"

namespace structtensor {

struct TextFormat::Impl {
  std::shared_ptr<const void> owner;  // of the prototype
  const ::google::protobuf::Message* prototype;
  TextFormatOptions options;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SCHEMA_INTERNAL_TEXT_FORMAT_IMPL_H_
