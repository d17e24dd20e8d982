// The parts of the module _core: one function for each file.
#ifndef STRUCTTENSOR_PYTHON_BINDINGS_H_
#define STRUCTTENSOR_PYTHON_BINDINGS_H_

#include <nanobind/nanobind.h>

#include "documented_class.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::python {

// The classes of values, for the files that add methods to them.
struct ValueClasses {
  DocumentedClass<Tensor> tensor;
  DocumentedClass<RaggedTensor> ragged;
  DocumentedClass<StructuredTensor> structured;

  // Adds a function of one value to the module and, as a method, to all three classes. `value`: the name of the value among
  // the function's parameters. `extra`: for the parameters after it.
  template <typename Function, typename... Extra>
  void DefineEverywhere(nanobind::module_& module, const char* name, const char* value, Function function,
                        const Extra&... extra) {
    module.def(name, function, nanobind::arg(value), extra...);
    tensor.def(name, function, extra...);
    ragged.def(name, function, extra...);
    structured.def(name, function, extra...);
  }

  // The same for functions of arrays only, and for functions of structs only.
  template <typename Function, typename... Extra>
  void DefineForArrays(nanobind::module_& module, const char* name, const char* value, Function function,
                       const Extra&... extra) {
    module.def(name, function, nanobind::arg(value), extra...);
    tensor.def(name, function, extra...);
    ragged.def(name, function, extra...);
  }
  template <typename Function, typename... Extra>
  void DefineForStructs(nanobind::module_& module, const char* name, Function function, const Extra&... extra) {
    module.def(name, function, nanobind::arg("structs"), extra...);
    structured.def(name, function, extra...);
  }
};

void BindTypeSpecs(nanobind::module_& module);
ValueClasses BindValues(nanobind::module_& module);
void BindConstruct(nanobind::module_& module, ValueClasses& classes);
void BindOps(nanobind::module_& module, ValueClasses& classes);
void BindListOfOperations(nanobind::module_& module);
void BindMath(nanobind::module_& module, ValueClasses& classes);
void BindRaggedShape(nanobind::module_& module, ValueClasses& classes);
void BindExtension(nanobind::module_& module);
void BindPath(nanobind::module_& module, ValueClasses& classes);
void BindArrow(nanobind::module_& module, ValueClasses& classes);
void BindComponents(nanobind::module_& module);
void BindSchema(nanobind::module_& module);
void BindDecode(nanobind::module_& module);
void BindScan(nanobind::module_& module);
void BindColumnFiles(nanobind::module_& module);
void BindRemoteFiles(nanobind::module_& module);
void BindExamples(nanobind::module_& module);
void BindJson(nanobind::module_& module);
void BindCommand(nanobind::module_& module);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_BINDINGS_H_
