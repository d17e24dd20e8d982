#include "schema.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bindings.h"
#include "convert.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

ErrorTypes OfFiles() { return {.not_found = PyExc_FileNotFoundError}; }

std::vector<std::string> FilePathsOf(nb::handle paths, std::string_view what) {
  if (PyUnicode_Check(paths.ptr()) || PyBytes_Check(paths.ptr())) return {FilePathOf(paths, what)};
  std::vector<std::string> result;
  for (nb::handle path : nb::list(paths)) result.push_back(FilePathOf(path, what));
  return result;
}

nb::list ListOf(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(TextToPython(name));
  return list;
}

BoundSchema Named(Schema schema, nb::handle message) {
  BoundSchema bound{std::move(schema), ""};
  if (!message.is_none()) bound.message = bound.NameOf(message);
  return bound;
}

}  // namespace

std::string BoundSchema::NameOf(nb::handle name) const {
  if (!name.is_none()) return Unwrap(schema.Resolve(TextOf(name, "message")));
  if (!message.empty()) return message;
  const std::vector<std::string> roots = schema.RootMessageNames();
  if (roots.size() == 1) return roots[0];
  ThrowError(PyExc_ValueError, roots.empty()
                                   ? "the schema declares no message type"
                                   : absl::StrCat("which message type? Name one by message=: ", absl::StrJoin(roots, ", ")));
}

std::shared_ptr<const plan::MessagePlan> BoundSchema::PlanOf(nb::handle name) const {
  return Unwrap(schema.PlanOf(NameOf(name)));
}

const BoundSchema& SchemaOf(nb::handle schema) {
  const auto* const bound = InstanceOf<BoundSchema>(schema);
  if (bound == nullptr) ThrowError(PyExc_TypeError, "schema: expected a structtensor.Schema");
  return *bound;
}

void BindSchema(nb::module_& module) {
  DocumentedClass<BoundSchema>(module, "Schema")
      .DefineNoConstructor("call Schema.from_proto(), Schema.from_class() or Schema.from_descriptor_set()")
      .def_static(
          "from_descriptor_set",
          [](nb::handle bytes, nb::handle message) {
            std::vector<nb::object> kept;
            return Named(Unwrap(Schema::FromDescriptorSet(BytesOf(bytes, "descriptor set", kept))), message);
          },
          "bytes"_a, "message"_a = nb::none())
      .def_static(
          "_from_proto",
          [](nb::handle files, nb::handle import_dirs, nb::handle message) {
            return Named(
                Unwrap(Schema::FromProtoFiles(FilePathsOf(files, "files"), FilePathsOf(import_dirs, "import_dirs")), OfFiles()),
                message);
          },
          "files"_a, "import_dirs"_a, "message"_a.none())
      .def_prop_ro("messages", [](const BoundSchema& self) { return ListOf(self.schema.MessageNames()); })
      .def_prop_ro("roots", [](const BoundSchema& self) { return ListOf(self.schema.RootMessageNames()); })
      .def_prop_ro("message",
                   [](const BoundSchema& self) -> nb::object {
                     if (self.message.empty()) return nb::none();
                     return TextToPython(self.message);
                   })
      .def(
          "resolve",
          [](const BoundSchema& self, nb::handle name) {
            return TextToPython(Unwrap(self.schema.Resolve(TextOf(name, "name"))));
          },
          "name"_a)
      .def("to_descriptor_set",
           [](const BoundSchema& self) {
             const std::string bytes = self.schema.SerializeDescriptorSet();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "with_annotations",
          [](const BoundSchema& self, nb::handle text, nb::handle name) {
            return BoundSchema{Unwrap(self.schema.WithAnnotations(TextOf(text, "text"), TextOf(name, "name"))), self.message,
                               self.optionals};
          },
          "text"_a, "name"_a = "annotations")
      .def(
          "with_optionals",
          [](const BoundSchema& self, nb::handle optionals) {
            OneOf("optionals", optionals, {"ragged", "nullable", "default"});
            return BoundSchema{self.schema, self.message, std::string(TextOf(optionals, "optionals"))};
          },
          "optionals"_a)
      .def_prop_ro("optionals",
                   [](const BoundSchema& self) -> nb::object {
                     if (self.optionals.empty()) return nb::none();
                     return TextToPython(self.optionals);
                   })
      .def("__repr__", [](const BoundSchema& self) {
        constexpr size_t kShown = 5;
        std::vector<std::string> names = self.schema.MessageNames();
        const size_t count = names.size();
        if (count > kShown) names.resize(kShown);
        return TextToPython(absl::StrCat("Schema(", self.message.empty() ? "" : absl::StrCat("message=", self.message, ", "),
                                         count, " message types: ", absl::StrJoin(names, ", "), count > kShown ? ", …" : "",
                                         ")"));
      });
}

}  // namespace structtensor::python
