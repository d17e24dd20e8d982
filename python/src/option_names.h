// Error messages of the library name options and functions as C++ does. Users of Python know them by other names.
#ifndef STRUCTTENSOR_PYTHON_OPTION_NAMES_H_
#define STRUCTTENSOR_PYTHON_OPTION_NAMES_H_

#include <string>
#include <string_view>

namespace structtensor::python {

// `text` with names of arguments: in backquotes, `on_error=kSkip` becomes on_error="skip". The function ReduceSum becomes
// reduce_sum.
std::string WithPythonNames(std::string_view text);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_OPTION_NAMES_H_
