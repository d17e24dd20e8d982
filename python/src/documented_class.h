// Classes of the bindings whose members get their docstrings from structtensor/_member_docs.py. So all text for users of the
// package is in Python, and methods have the text of the functions with the same name.
#ifndef STRUCTTENSOR_PYTHON_DOCUMENTED_CLASS_H_
#define STRUCTTENSOR_PYTHON_DOCUMENTED_CLASS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

namespace structtensor::python {

// The arguments of a call of the constructor of `class_name`, in the order of the parameters in `signature`, with defaults. The
// signature is "def __init__(self, ...)" in Python. Throws TypeError in Python's words: nanobind's would list signatures of
// C++.
nanobind::tuple ArgumentsOf(const std::string& class_name, const char* signature, const nanobind::args& args,
                            const nanobind::kwargs& kwargs);
// Throws TypeError: CLASS has no constructor; ADVICE.
[[noreturn]] void ThrowNoConstructor(const std::string& class_name, const char* advice);

// A nanobind::class_ whose members have docstrings. A docstring comes from the text in _member_docs.py under the class's name
// in Python.
template <typename T, typename... Bases>
class DocumentedClass : public nanobind::class_<T, Bases...> {
 public:
  // `extra`: annotations of nanobind for the class.
  template <typename... Extra>
  DocumentedClass(nanobind::handle module, const char* name, const Extra&... extra)
      : nanobind::class_<T, Bases...>(module, name, extra...),
        name_(name),
        docs_(nanobind::module_::import_("structtensor._member_docs").attr("MEMBERS").attr("get")(name, nanobind::dict())) {}

  // Defines the constructor. `signature`: "def __init__(self, ...)" in Python, which must live forever. make(arguments) returns
  // the T for a tuple of all arguments in the order of the parameters.
  template <typename Make>
  DocumentedClass& DefineConstructor(const char* signature, Make make) {
    return def(
        "__init__",
        [name = name_, signature, make](T* self, const nanobind::args& args, const nanobind::kwargs& kwargs) {
          new (self) T(make(ArgumentsOf(name, signature, args, kwargs)));
        },
        nanobind::sig(signature));
  }
  // Makes each call of the class a TypeError that says what to call instead.
  DocumentedClass& DefineNoConstructor(const char* advice) {
    return def("__init__", [name = name_, advice](T*, const nanobind::args&, const nanobind::kwargs&) {
      ThrowNoConstructor(name, advice);
    });
  }

  template <typename Function, typename... Extra>
  DocumentedClass& def(const char* name, Function&& function, const Extra&... extra) {
    nanobind::class_<T, Bases...>::def(name, std::forward<Function>(function), extra..., DocOf(name).c_str());
    return *this;
  }
  template <typename Function, typename... Extra>
  DocumentedClass& def_static(const char* name, Function&& function, const Extra&... extra) {
    nanobind::class_<T, Bases...>::def_static(name, std::forward<Function>(function), extra..., DocOf(name).c_str());
    return *this;
  }
  template <typename Getter, typename... Extra>
  DocumentedClass& def_prop_ro(const char* name, Getter&& getter, const Extra&... extra) {
    nanobind::class_<T, Bases...>::def_prop_ro(name, std::forward<Getter>(getter), extra..., DocOf(name).c_str());
    return *this;
  }

 private:
  // The text is empty for members without text; nanobind then sets no docstring. nanobind copies the text.
  nanobind::str DocOf(const char* name) const { return nanobind::str(docs_.attr("get")(name, "")); }

  std::string name_;
  nanobind::object docs_;
};

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_DOCUMENTED_CLASS_H_
