// Error messages of the library name options as in the command and in C++. Users of Python know the options as arguments.
#ifndef STRUCTTENSOR_PYTHON_OPTION_NAMES_H_
#define STRUCTTENSOR_PYTHON_OPTION_NAMES_H_

#include <string>
#include <string_view>

namespace structtensor::python {

// `text` with Python's names of options: "--on-error=skip" is on_error="skip", "--from" framing=, "ScanOptions::skip" skip.
std::string WithPythonNames(std::string_view text);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_OPTION_NAMES_H_
