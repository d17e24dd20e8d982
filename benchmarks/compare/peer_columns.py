"""Prints C++ code that puts libprotobuf's messages of one type, and of all types that it reaches, into columns
(peer_columns.h)."""

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor

# libprotobuf appends an underscore to these names.
KEYWORDS = frozenset(
    """alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char char16_t char32_t char8_t class
    co_await co_return co_yield compl concept const consteval constexpr constinit const_cast continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int int16_t int32_t
    int64_t int8_t long mutable namespace new noexcept not not_eq NULL nullptr operator or or_eq private protected public
    register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
    this thread_local throw true try typedef typeid typename uint16_t uint32_t uint64_t uint8_t union unsigned using virtual
    void volatile wchar_t while xor xor_eq""".split()
)

VALUE_TYPES = {
    FieldDescriptor.CPPTYPE_INT32: "int32_t",
    FieldDescriptor.CPPTYPE_INT64: "int64_t",
    FieldDescriptor.CPPTYPE_UINT32: "uint32_t",
    FieldDescriptor.CPPTYPE_UINT64: "uint64_t",
    FieldDescriptor.CPPTYPE_DOUBLE: "double",
    FieldDescriptor.CPPTYPE_FLOAT: "float",
    FieldDescriptor.CPPTYPE_BOOL: "uint8_t",
    FieldDescriptor.CPPTYPE_ENUM: "int32_t",
    FieldDescriptor.CPPTYPE_STRING: "std::string_view",
}


def resolved(name):
    return name + "_" if name in KEYWORDS else name


def namespace(file):
    return "::" + "".join(resolved(part) + "::" for part in file.package.split(".") if part)


def class_name(message):
    """The class that protoc generates: ::pkg::Outer_Inner."""
    names = []
    scope = message
    while scope is not None:
        names.insert(0, scope.name)
        scope = scope.containing_type
    return namespace(message.file) + resolved("_".join(names))


def struct_name(message):
    return message.full_name.replace(".", "_") + "_Columns"


def is_map_entry(message):
    return message.GetOptions().map_entry


def real_oneofs(message):
    """The oneofs that the schema declares, without the oneofs that a proto3 `optional` makes."""
    proto = descriptor_pb2.DescriptorProto()
    message.CopyToProto(proto)
    synthetic = {field.oneof_index for field in proto.field if field.proto3_optional}
    return [oneof for oneof in message.oneofs if oneof.index not in synthetic]


def fields_of(pool, message):
    extensions = [] if is_map_entry(message) else pool.FindAllExtensions(message)
    return sorted([*message.fields, *extensions], key=lambda field: field.number)


def column_type(field):
    if field.message_type is not None:
        kind = "Children" if field.is_repeated else "Child"
        return f"{kind}<{struct_name(field.message_type)}>"
    value = VALUE_TYPES[field.cpp_type]
    if field.is_repeated:
        return f"Repeated<{value}>"
    explicit = field.has_presence and not is_map_entry(field.containing_type)
    return f"{'Optional' if explicit else 'Dense'}<{value}>"


def member(field):
    return "f_" + (f"{field.number}" if field.is_extension else field.name)


def path_name(field):
    return f"[{field.full_name}]" if field.is_extension else field.name


def extension_name(field):
    scope = class_name(field.extension_scope) + "::" if field.extension_scope is not None else namespace(field.file)
    return scope + resolved(field.name)


def value_of(field, expression):
    return f"static_cast<int32_t>({expression})" if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM else expression


def append_statement(field, in_oneof):
    if field.is_extension:
        get, has = f"m.GetExtension({extension_name(field)})", f"m.HasExtension({extension_name(field)})"
    else:
        accessor = resolved(field.name.lower())
        get, has = f"m.{accessor}()", f"m.has_{field.name.lower()}()"
    if field.is_repeated:
        return f"{member(field)}.Set(row, {get});"
    statement = f"{member(field)}.Set(row, {value_of(field, get)});"
    return f"if ({has}) {statement}" if field.has_presence and not in_oneof else statement


def append_body(pool, message):
    if is_map_entry(message):
        return [f"{member(f)}.Set(row, {value_of(f, 'm.first' if f.number == 1 else 'm.second')});" for f in message.fields]
    lines = []
    oneofs = real_oneofs(message)
    members = {field.full_name for oneof in oneofs for field in oneof.fields}
    for field in fields_of(pool, message):
        if field.full_name not in members:
            lines.append(append_statement(field, in_oneof=False))
    for oneof in oneofs:
        lines.append(f"const int {oneof.name}_case = static_cast<int>(m.{oneof.name}_case());")
        lines.append(f"case_{oneof.name}.Set(row, {oneof.name}_case);")
        lines.append(f"switch ({oneof.name}_case) {{")
        for field in oneof.fields:
            lines.append(f"  case {field.number}: {append_statement(field, in_oneof=True)} break;")
        lines.append("  default: break;")
        lines.append("}")
    return lines


def reached_from(pool, message):
    """The message types that `message` reaches. The first one is `message` itself."""
    reached = [message]
    seen = {message.full_name}
    for each in reached:
        for field in fields_of(pool, each):
            if field.message_type is not None and field.message_type.full_name not in seen:
                seen.add(field.message_type.full_name)
                reached.append(field.message_type)
    return reached


def generate(pool, root, headers):
    """The text of a header that defines the columns of `root`. `headers`: protoc's headers that it needs."""
    messages = reached_from(pool, root)
    out = ['#include "peer_columns.h"', *(f'#include "{header}"' for header in headers), ""]
    out += ["namespace structtensor::benchmark {", ""]
    out += [f"struct {struct_name(message)};" for message in messages] + [""]
    bodies = []
    for message in messages:
        name = struct_name(message)
        fields = fields_of(pool, message)
        entry = is_map_entry(message)
        columns = [(column_type(f), member(f), path_name(f), f) for f in fields]
        columns += [("Dense<int32_t>", f"case_{o.name}", f"({o.name})", None) for o in real_oneofs(message)]
        signature = "template <typename Entry>\n  void Append(size_t row, const Entry& m)"
        if not entry:
            signature = f"void Append(size_t row, const {class_name(message)}& m)"
        out += [f"struct {name} {{", f"  static constexpr bool kMapEntry = {'true' if entry else 'false'};"]
        out += [f"  {kind} {variable};" for kind, variable, _, _ in columns]
        out += [f"  {signature};", "  void Finish(size_t nrows);", "  void Clear();"]
        out += ["  template <typename Visitor>\n  void Visit(Visitor&& visitor) const;", "};", ""]

        define = f"template <typename Entry>\nvoid {name}::Append(size_t row, const Entry& m)"
        if not entry:
            define = f"inline void {name}::Append([[maybe_unused]] size_t row, [[maybe_unused]] const {class_name(message)}& m)"
        bodies += [define + " {", *(f"  {line}" for line in append_body(pool, message)), "}", ""]
        bodies += [f"inline void {name}::Finish([[maybe_unused]] size_t nrows) {{"]
        bodies += [*(f"  {variable}.Finish(nrows);" for _, variable, _, _ in columns), "}", ""]
        bodies += [f"inline void {name}::Clear() {{", *(f"  {variable}.Clear();" for _, variable, _, _ in columns), "}", ""]
        bodies += ["template <typename Visitor>", f"void {name}::Visit([[maybe_unused]] Visitor&& visitor) const {{"]
        for _, variable, path, field in columns:
            map_value = entry and field is not None and field.message_type is not None
            bodies.append(f'  visitor{".MapValue" if map_value else ""}("{path}", {variable});')
        bodies += ["}", ""]
    out += bodies
    out += [f"using PeerColumns = {struct_name(root)};", "", "}  // namespace structtensor::benchmark", ""]
    return "\n".join(out)
