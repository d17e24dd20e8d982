#include <nanobind/nanobind.h>

#include "bindings.h"
#include "interpreter_lock.h"

NB_MODULE(_core, module) {
  using namespace structtensor::python;  // NOLINT: the functions of bindings.h, in here only
  module.doc() = "The bindings of structtensor's C++ library. Use the package structtensor.";
  // Exceptions and modules that live until the interpreter ends keep values. These are not leaks.
  nanobind::set_leak_warnings(false);
  BindListOfOperations(module);  // first: the docstrings of classes are made of it
  BindTypeSpecs(module);
  ValueClasses classes = BindValues(module);
  BindConstruct(module, classes);
  BindOps(module, classes);
  BindMath(module, classes);
  BindPath(module, classes);
  BindRaggedShape(module, classes);
  BindExtension(module);
  BindArrow(module, classes);
  BindComponents(module);
  BindSchema(module);
  BindDecode(module);
  BindScan(module);
  BindColumnFiles(module);
  BindRemoteFiles(module);
  BindExamples(module);
  BindJson(module);
  BindCommand(module);
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(StopOtherThreads));
  module.attr("__version__") = STRUCTTENSOR_VERSION;
}
