// Operations on field paths.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bindings.h"
#include "convert.h"
#include "structtensor/tensor/struct_ops/apply.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/promote.h"
#include "structtensor/tensor/struct_ops/query.h"
#include "structtensor/tensor/struct_ops/reroot.h"
#include "structtensor/tensor/struct_ops/select.h"
#include "structtensor/tensor/struct_ops/with_only.h"
#include "structtensor/tensor/struct_ops/with_updates.h"
#include "structtensor/tensor/struct_ops/without.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

// The paths that are given one by one, or all in one list.
std::vector<Path> PathsOfArguments(const nb::args& paths) {
  if (paths.size() == 1 && PyList_Check(paths[0].ptr())) return PathsOf(paths[0]);
  std::vector<Path> all;
  for (const nb::handle path : paths) all.push_back(PathOf(path));
  return all;
}

void CheckFunction(nb::handle function) {
  if (!PyCallable_Check(function.ptr())) ThrowType("function", "a function", function);
}

// The value that a function of the caller has returned.
Value ReturnedValue(const nb::object& returned) {
  if (returned.is_none()) ThrowError(PyExc_TypeError, "the function returned None; expected the value of the field");
  return ValueOf(returned);
}

// A keyword names a field of `structs`, or a new one. With dots it is the path of a field, unless a field has this very name.
Path PathOfKeyword(const StructuredTensor& structs, nb::handle keyword) {
  const std::string_view text = TextOf(keyword, "name");
  const bool is_name = text.find('.') == std::string_view::npos || structs.FindFlatField(text) != nullptr;
  return is_name ? Path().Child(text) : PathOf(keyword);
}

Update UpdateOf(Path place, nb::handle change) {
  if (change.is_none()) return Update::Delete(std::move(place));
  if (!AsValue(change).has_value() && PyCallable_Check(change.ptr())) {
    const nb::object function = nb::borrow(change);
    return Update::Transform(std::move(place), [function](const Value& field) -> absl::StatusOr<Value> {
      return ReturnedValue(function(ToPython(field)));
    });
  }
  return Update::Set(std::move(place), ValueOf(change));
}

// An exception of a Python function passes through the runtime unchanged. It leaves nothing half done in the runtime, because
// values are immutable.
StructuredTensor WithUpdatesOf(nb::handle structs, const nb::args& updates, const nb::kwargs& fields) {
  std::vector<Update> changes;
  if (updates.size() > 1) ThrowError(PyExc_TypeError, "with_updates() takes one dict of paths and values, and fields by name");
  if (updates.size() == 1 && !updates[0].is_none()) {
    if (PyObject_HasAttrString(updates[0].ptr(), "keys") == 0) {
      ThrowError(PyExc_TypeError, "with_updates(): expected a dict of paths and values, or fields by name");
    }
    nb::dict copy;  // any mapping is taken
    if (PyDict_Update(copy.ptr(), updates[0].ptr()) != 0) throw nb::python_error();
    for (const auto& [path, change] : copy) changes.push_back(UpdateOf(PathOf(path), change));
  }
  for (const auto& [name, change] : fields) {
    changes.push_back(UpdateOf(PathOfKeyword(StructuredOf(structs), name), change));
  }
  return Unwrap(WithUpdates(StructuredOf(structs), std::span<const Update>(changes)));
}

StructuredTensor ApplyOf(nb::handle structs, nb::handle sources, nb::handle target, nb::handle function) {
  if (PyCallable_Check(sources.ptr())) {
    ThrowError(PyExc_TypeError,
               "sources: expected a path or a list of paths, found a function; it is the last argument of apply(), after the "
               "sources and the target");
  }
  CheckFunction(function);
  const bool is_one = PyUnicode_Check(sources.ptr()) != 0 || PyTuple_Check(sources.ptr());
  return Unwrap(Apply(StructuredOf(structs), is_one ? std::vector<Path>{PathOf(sources)} : PathsOf(sources), PathOf(target),
                      [function](std::span<const Value> fields) -> absl::StatusOr<Value> {
                        nb::list arguments;
                        for (const Value& field : fields) arguments.append(ToPython(field));
                        return ReturnedValue(function(*nb::tuple(arguments)));
                      }));
}

StructuredTensor MapValuesOf(nb::handle structs, nb::handle path, nb::handle new_name, nb::handle function) {
  CheckFunction(function);
  return Unwrap(MapValues(StructuredOf(structs), PathOf(path), TextOf(new_name, "new_name"),
                          [function](const Tensor& flat_values) -> absl::StatusOr<Tensor> {
                            const Value result = ReturnedValue(function(nb::cast(flat_values)));
                            if (result.tensor() == nullptr) {
                              return absl::InvalidArgumentError("the function returned no dense tensor");
                            }
                            return *result.tensor();
                          }));
}

}  // namespace

void BindPath(nb::module_& module, ValueClasses& classes) {
  module.def(
      "_path_names",
      [](nb::handle path) {
        nb::list names;
        const Path steps = PathOf(path);
        for (const Path::Step& step : steps.steps()) {
          if (step.kind() != Path::Step::Kind::kField) {
            ThrowError(PyExc_ValueError, absl::StrCat("expected a path of names of fields; found ", step.ToString()));
          }
          names.append(TextToPython(step.text()));
        }
        return names;
      },
      "path"_a);
  classes.DefineForStructs(
      module, "promote",
      [](nb::handle structs, nb::handle source, nb::handle target) {
        return Unwrap(Promote(StructuredOf(structs), PathOf(source), PathOf(target)));
      },
      "source"_a, "target"_a);
  // Without names of arguments, a field may have any name, such as `self`.
  module.def(
      "with_updates", WithUpdatesOf,
      nb::sig("def with_updates(structs, updates: object | None = None, /, **fields) -> structtensor._core.StructuredTensor"));
  classes.structured.def(
      "with_updates", WithUpdatesOf,
      nb::sig("def with_updates(self, updates: object | None = None, /, **fields) -> structtensor._core.StructuredTensor"));
  classes.DefineForStructs(
      module, "with_only",
      [](nb::handle structs, const nb::args& paths) {
        return Unwrap(WithOnly(StructuredOf(structs), PathsOfArguments(paths)));
      },
      "paths"_a);
  classes.DefineForStructs(
      module, "without",
      [](nb::handle structs, const nb::args& paths) { return Unwrap(Without(StructuredOf(structs), PathsOfArguments(paths))); },
      "paths"_a);
  classes.DefineForStructs(module, "apply", ApplyOf, "sources"_a, "target"_a, "function"_a);
  classes.DefineForStructs(module, "map_values", MapValuesOf, "path"_a, "new_name"_a, "function"_a);
  classes.DefineForStructs(
      module, "broadcast",
      [](nb::handle structs, nb::handle source, nb::handle target) {
        return Unwrap(Broadcast(StructuredOf(structs), PathOf(source), PathOf(target)));
      },
      "source"_a, "target"_a);
  classes.DefineForStructs(
      module, "reroot", [](nb::handle structs, nb::handle path) { return Unwrap(Reroot(StructuredOf(structs), PathOf(path))); },
      "path"_a);
  classes.DefineForStructs(
      module, "filter",
      [](nb::handle structs, nb::handle path, nb::handle mask) {
        if (mask.is_none() || AsValue(path).has_value()) {
          ThrowError(PyExc_TypeError,
                     "filter(path, mask) takes two paths: of a struct, [] for the value itself, and of a field of booleans "
                     "in it; to choose rows by a column of booleans, write rows[mask]");
        }
        return Unwrap(Filter(StructuredOf(structs), PathOf(path), PathOf(mask)));
      },
      "path"_a, "mask"_a = nb::none());
  classes.DefineForStructs(
      module, "size_each",
      [](nb::handle structs, nb::handle path, nb::handle new_name) {
        return Unwrap(SizeEach(StructuredOf(structs), PathOf(path), TextOf(new_name, "new_name")));
      },
      "path"_a, "new_name"_a);
  classes.DefineForStructs(
      module, "has",
      [](nb::handle structs, nb::handle path, nb::handle new_name) {
        if (new_name.is_none()) {
          ThrowError(
              PyExc_TypeError,
              "has(path, new_name) adds a field, new_name, that says for each struct whether it has a value at the path; "
              "whether there is a field x at all, \"x\" in rows says");
        }
        return Unwrap(Has(StructuredOf(structs), PathOf(path), TextOf(new_name, "new_name")));
      },
      "path"_a, "new_name"_a = nb::none());
  classes.DefineForStructs(
      module, "index_each",
      [](nb::handle structs, nb::handle path, nb::handle new_name, bool from_end) {
        return Unwrap(IndexEach(StructuredOf(structs), PathOf(path), TextOf(new_name, "new_name"), from_end));
      },
      "path"_a, "new_name"_a, "from_end"_a = false);
  classes.DefineForStructs(
      module, "slice_path",
      [](nb::handle structs, nb::handle path, nb::handle begin, nb::handle end) {
        return Unwrap(
            SlicePath(StructuredOf(structs), PathOf(path), OptionalIntegerOf(begin, "begin"), OptionalIntegerOf(end, "end")));
      },
      "path"_a, "begin"_a = nb::none(), "end"_a = nb::none());
  classes.DefineForStructs(
      module, "truncate",
      [](nb::handle structs, nb::handle path, nb::handle count) {
        return Unwrap(Truncate(StructuredOf(structs), PathOf(path), IntegerOf(count, "count")));
      },
      "path"_a, "count"_a);
  classes.DefineForStructs(
      module, "limit_depth",
      [](nb::handle structs, nb::handle depth) {
        constexpr int64_t kDeepest = 1 << 30;
        const int64_t steps = IntegerOf(depth, "depth");
        return Unwrap(LimitDepth(StructuredOf(structs), static_cast<int>(steps > kDeepest ? kDeepest
                                                                         : steps < -1     ? -1
                                                                                          : steps)));
      },
      "depth"_a);
}

}  // namespace structtensor::python
