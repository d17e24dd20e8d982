// Other serializations of a message: bytes that a conforming reader must understand though no common writer produces them. Some
// rewritings keep the message's meaning, some change it in a way that the encoding guide (or libprotobuf) defines.
#ifndef STRUCTTENSOR_TESTS_ORACLE_REWRITE_H_
#define STRUCTTENSOR_TESTS_ORACLE_REWRITE_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

#include "random_message.h"

namespace structtensor::testing {

// How likely each rewriting is, at each place where it can happen.
struct RewriteOptions {
  double shuffle = 0;          // the fields of a message, in any order
  double pack = 0;             // packed runs taken apart, split in two, or elements packed
  double long_varints = 0;     // tags, lengths and values in more bytes than they need
  double unknown = 0;          // fields that the type does not have, of all wire types, nested groups too
  double wrong_wire_type = 0;  // a field's number with a wire type that is not the field's
  double repeat = 0;           // a field once more: last wins, merge, one more element, a duplicate map key
  double drop = 0;             // a field left out: map entries without key or value, missing required fields
  double zero = 0;             // explicit default values
  double unknown_enum = 0;     // enum numbers at random
  double switch_oneof = 0;     // another member of a oneof after this one, and perhaps this one again
};

// Requires: `bytes` is a serialized message of `type`.
std::string Rewrite(Random& random, const RewriteOptions& options, const google::protobuf::Descriptor* type,
                    const google::protobuf::DescriptorPool& pool, std::string_view bytes);

// Flips, cuts out, repeats or inserts a few bytes.
std::string Corrupt(Random& random, std::string bytes);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_REWRITE_H_
