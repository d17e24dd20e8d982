#include "documented_class.h"

#include <string>

#include "convert.h"

namespace structtensor::python {

nb::tuple ArgumentsOf(const std::string& class_name, const char* signature, const nb::args& args, const nb::kwargs& kwargs) {
  return nb::cast<nb::tuple>(PythonFunction("structtensor._signatures", "arguments_of")(nb::str(class_name.c_str()),
                                                                                        nb::str(signature), args, kwargs));
}

void ThrowNoConstructor(const std::string& class_name, const char* advice) {
  ThrowError(PyExc_TypeError, class_name + " has no constructor; " + advice);
}

}  // namespace structtensor::python
