// A line of vectors as JSON.
#ifndef STRUCTTENSOR_TESTS_VECTORS_PARSE_LINE_H_
#define STRUCTTENSOR_TESTS_VECTORS_PARSE_LINE_H_

#include <string_view>

#include "op.h"

namespace structtensor::vectors {

// The line, or a discarded value if it is not JSON. Python's integers have no end; one that 64 bits cannot hold becomes
// {"$int": "18446744073709551616"}, where the JSON library would make it a floating point number.
Json ParseLine(std::string_view text);

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_PARSE_LINE_H_
