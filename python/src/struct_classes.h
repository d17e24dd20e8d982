// The Python classes that structs have by their axes, and that their specs have: DenseStructuredTensor, RaggedStructuredTensor,
// DenseStructuredTensorSpec, RaggedStructuredTensorSpec. They derive from the classes of the bindings, and have no objects of
// their own. type() of each object is the class of the bindings, and its __class__, which isinstance() looks at as well, the
// class of its axes.
#ifndef STRUCTTENSOR_PYTHON_STRUCT_CLASSES_H_
#define STRUCTTENSOR_PYTHON_STRUCT_CLASSES_H_

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::python {

// The two classes of T, which live forever; null before UseClassesByAxes().
template <typename T>
struct ClassesByAxes {
  static inline std::vector<PyObject*> native;  // the types of the objects that the bindings make
  static inline PyObject* dense = nullptr;
  static inline PyObject* ragged = nullptr;
};

template <typename T>
void UseClassesByAxes(nanobind::object dense, nanobind::object ragged, nanobind::list native) {
  for (nanobind::handle type : native) ClassesByAxes<T>::native.push_back(nanobind::borrow(type).release().ptr());
  ClassesByAxes<T>::dense = dense.release().ptr();
  ClassesByAxes<T>::ragged = ragged.release().ptr();
}

inline bool IsUniform(const RowPartition& partition) { return partition.uniform_row_length().has_value(); }
inline bool IsUniform(const RowPartitionSpec& partition) { return partition.uniform_row_length != kUnknownDimension; }

// The getter of __class__. Objects whose constructor has not returned have their type.
template <typename T>
PyObject* ClassByAxes(PyObject* self, void*) {
  PyObject* found = reinterpret_cast<PyObject*>(Py_TYPE(self));
  // A class that a user derives says itself what its objects are.
  const bool is_native = ClassesByAxes<T>::native.empty() || std::ranges::count(ClassesByAxes<T>::native, found) > 0;
  if (is_native && ClassesByAxes<T>::dense != nullptr && nanobind::inst_ready(self)) {
    const auto& partitions = nanobind::inst_ptr<T>(self)->row_partitions();
    const bool dense = std::ranges::all_of(partitions, [](const auto& partition) { return IsUniform(partition); });
    found = dense ? ClassesByAxes<T>::dense : ClassesByAxes<T>::ragged;
  }
  Py_INCREF(found);
  return found;
}

// For the constructor of DocumentedClass<T>.
template <typename T>
nanobind::type_slots WithClassByAxes() {
  static PyGetSetDef members[] = {
      {"__class__", ClassByAxes<T>, nullptr, "The class of the axes: of dense, or of ragged structs.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static const PyType_Slot slots[] = {{Py_tp_getset, members}, {0, nullptr}};
  return nanobind::type_slots(slots);
}

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_STRUCT_CLASSES_H_
