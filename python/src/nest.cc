// Lists, tuples and dicts of anything, as in tf.nest. structtensor.nest is made of these functions.
#include "structtensor/tensor/type_spec/nest.h"

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "structtensor/tensor/extension_types/components.h"
#include "structtensor/tensor/values/constant.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

using ObjectNest = Nest<nb::object>;

// Objects of derived classes are leaves, because we could not make new objects of these classes.
bool IsNested(nb::handle object) {
  PyObject* const p = object.ptr();
  return PyList_CheckExact(p) || PyTuple_CheckExact(p) || PyDict_CheckExact(p);
}

ObjectNest NestAt(nb::handle object, int depth) {
  PyObject* const p = object.ptr();
  if (!IsNested(object)) return ObjectNest(nb::borrow(object));
  if (depth > kMaxNestedDepth) {
    ThrowError(PyExc_ValueError, "lists and dicts are nested deeper than " + std::to_string(kMaxNestedDepth) + " levels");
  }
  if (PyDict_CheckExact(p)) {
    ObjectNest::NamedItems items;
    for (auto [name, item] : nb::borrow<nb::dict>(object)) {
      items.emplace_back(std::string(TextOf(name, "a key of a dict")), NestAt(item, depth + 1));
    }
    return ObjectNest::Dict(std::move(items));
  }
  std::vector<ObjectNest> items;
  for (nb::handle item : object) items.push_back(NestAt(item, depth + 1));
  return PyList_CheckExact(p) ? ObjectNest::List(std::move(items)) : ObjectNest::Tuple(std::move(items));
}

ObjectNest NestOf(nb::handle object) { return NestAt(object, 0); }

nb::object ToPython(const ObjectNest& nest) {
  if (nest.is_leaf()) return nest.leaf();
  if (nest.kind() == NestKind::kDict) {
    nb::dict dict;
    for (size_t i = 0; i < nest.items().size(); ++i) dict[TextToPython(nest.names()[i])] = ToPython(nest.items()[i]);
    return dict;
  }
  nb::list list;
  for (const ObjectNest& item : nest.items()) list.append(ToPython(item));
  if (nest.kind() == NestKind::kTuple) return nb::tuple(list);
  return list;
}

// Leaves that are neither values nor specs are returned unchanged.
nb::list FlattenNest(nb::handle structure, bool expand_composites) {
  nb::list leaves;
  for (const nb::object& leaf : Flatten(NestOf(structure))) {
    if (expand_composites && IsSpec(leaf)) {
      for (const TensorSpec& spec : FlattenComposites(Nest<TypeSpec>(SpecOf(leaf)))) leaves.append(nb::cast(spec));
      continue;
    }
    const std::optional<Value> value = expand_composites ? AsValue(leaf) : std::nullopt;
    if (!value.has_value()) {
      leaves.append(leaf);
      continue;
    }
    for (const Tensor& tensor : FlattenComposites(Nest<Value>(*value))) leaves.append(nb::cast(tensor));
  }
  return leaves;
}

// The tensors that follow `*next` in `leaves`, as a value of the spec `like`.
nb::object PackedLike(const TypeSpec& like, nb::handle leaves, size_t* next) {
  std::vector<Tensor> tensors;
  const size_t count = FlattenComposites(Nest<TypeSpec>(like)).size();
  for (size_t i = 0; i < count; ++i) {
    if (*next == nb::len(leaves)) ThrowError(PyExc_ValueError, "flat_sequence has fewer tensors than the structure");
    tensors.push_back(DenseOf(leaves[*next], "flat_sequence"));
    ++*next;
  }
  const TypeSpec spec = like.WithUnknownSizes();
  return structtensor::python::ToPython(Unwrap(PackCompositesAs(Nest<TypeSpec>(spec), tensors)).leaf());
}

nb::object PackNest(nb::handle structure, nb::handle flat_sequence, bool expand_composites) {
  if (!PyList_Check(flat_sequence.ptr()) && !PyTuple_Check(flat_sequence.ptr())) {
    ThrowError(PyExc_TypeError, "flat_sequence: expected a list");
  }
  const ObjectNest nest = NestOf(structure);
  std::vector<nb::object> leaves;
  if (!expand_composites) {
    for (nb::handle leaf : flat_sequence) leaves.push_back(nb::borrow(leaf));
    return ToPython(Unwrap(PackSequenceAs(nest, leaves)));
  }
  const nb::list items(nb::borrow(flat_sequence));
  size_t next = 0;
  for (const nb::object& leaf : Flatten(nest)) {
    const std::optional<Value> value = AsValue(leaf);
    if (value.has_value()) {
      leaves.push_back(PackedLike(value->spec(), items, &next));
    } else if (IsSpec(leaf)) {
      leaves.push_back(PackedLike(SpecOf(leaf), items, &next));
    } else if (next == nb::len(items)) {
      ThrowError(PyExc_ValueError, "flat_sequence has fewer items than the structure");
    } else {
      leaves.push_back(nb::borrow(items[next++]));
    }
  }
  if (next != nb::len(items)) ThrowError(PyExc_ValueError, "flat_sequence has more items than the structure");
  return ToPython(Unwrap(PackSequenceAs(nest, leaves)));
}

// Checks pairs of leaves: if one of them is a value or a spec, the other must be one too, and they must have a common type.
void CheckSameTypes(nb::handle a, nb::handle b) {
  const auto types_of = [](const ObjectNest& nest) {
    std::vector<std::optional<TypeSpec>> types;
    for (const nb::object& leaf : Flatten(nest)) {
      const std::optional<Value> value = AsValue(leaf);
      if (value.has_value()) {
        types.emplace_back(value->spec());
      } else if (IsSpec(leaf)) {
        types.emplace_back(SpecOf(leaf));
      } else {
        types.emplace_back(std::nullopt);
      }
    }
    return types;
  };
  const ObjectNest first = NestOf(a);
  const std::vector<std::optional<TypeSpec>> a_types = types_of(first);
  const std::vector<std::optional<TypeSpec>> b_types = types_of(NestOf(b));
  const auto paths = FlattenWithPaths(first);
  for (size_t i = 0; i < a_types.size(); ++i) {
    const bool both = a_types[i].has_value() && b_types[i].has_value();
    if (both) {
      Check(AssertSameTypes(Nest<TypeSpec>(*a_types[i]), Nest<TypeSpec>(*b_types[i])));
    } else if (a_types[i].has_value() || b_types[i].has_value()) {
      ThrowError(PyExc_ValueError,
                 "only one of the two structures has a value at " + (paths[i].first.empty() ? "its top" : paths[i].first));
    }
  }
}

// The results of function(leaf of the first structure, leaf of the second one, ...). All must have the same structure.
nb::object MapNests(nb::handle function, const nb::args& structures) {
  if (structures.size() == 0) ThrowError(PyExc_TypeError, "map_structure: there are no structures");
  const ObjectNest first = NestOf(structures[0]);
  std::vector<std::vector<nb::object>> leaves;
  for (nb::handle structure : structures) {
    const ObjectNest nest = NestOf(structure);
    Check(AssertSameStructure(first, nest));
    leaves.push_back(Flatten(nest));
  }
  std::vector<nb::object> results;
  for (size_t i = 0; i < leaves.front().size(); ++i) {
    nb::list arguments;
    for (const std::vector<nb::object>& of_one : leaves) arguments.append(of_one[i]);
    results.push_back(function(*nb::tuple(arguments)));
  }
  return ToPython(Unwrap(PackSequenceAs(first, results)));
}

}  // namespace

void BindNest(nb::module_& module) {
  module.def("_nest_is_nested", IsNested, "structure"_a.none());
  module.def("_nest_flatten", FlattenNest, "structure"_a.none(), "expand_composites"_a = false);
  module.def(
      "_nest_flatten_with_paths",
      [](nb::handle structure) {
        nb::list leaves;
        for (const auto& [path, leaf] : FlattenWithPaths(NestOf(structure))) {
          leaves.append(nb::make_tuple(TextToPython(path), leaf));
        }
        return leaves;
      },
      "structure"_a.none());
  module.def("_nest_pack_sequence_as", PackNest, "structure"_a.none(), "flat_sequence"_a, "expand_composites"_a = false);
  module.def(
      "_nest_assert_same_structure",
      [](nb::handle a, nb::handle b, bool expand_composites) {
        Check(AssertSameStructure(NestOf(a), NestOf(b)));
        if (expand_composites) CheckSameTypes(a, b);
      },
      "nest1"_a.none(), "nest2"_a.none(), "expand_composites"_a = false);
  module.def("_nest_map_structure", MapNests);
}

}  // namespace structtensor::python
