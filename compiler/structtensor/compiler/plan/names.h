// Every identifier in generated code comes from here.
#ifndef STRUCTTENSOR_COMPILER_PLAN_NAMES_H_
#define STRUCTTENSOR_COMPILER_PLAN_NAMES_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "structtensor/compiler/schema/schema.h"

namespace structtensor::compiler {

// `name` as a C++ identifier. Characters that identifiers cannot have become '_'. A keyword, a common macro or a name in
// `taken` gets '_' at its end until it is free. Adds the result to `taken`.
std::string UniqueIdentifier(std::string_view name, std::unordered_set<std::string>& taken);

// The names of a message's generated declarations, without namespace. "Outer.Inner" is Outer_Inner, as in protoc's C++.
struct MessageNames {
  std::string columns;      // RecipeColumns: accessors
  std::string batch;        // RecipeBatch
  std::string decoder;      // RecipeDecoder
  std::string node;         // RecipeNode, internal
  std::string plan;         // kRecipePlan, internal
  std::string decode;       // DecodeRecipe, internal
  std::string encoder;      // RecipeEncoder
  std::string encode;       // EncodeRecipe, internal
  std::string row;          // RecipeRow
  std::string row_builder;  // RecipeRowBuilder
  std::string builder;      // RecipeBatchBuilder
};

// The names of messages and enums. They depend on all declarations of their file. The table reads each file once, so keep one
// table for all files of a run.
class NameTable {
 public:
  // The reference lives as long as the table.
  const MessageNames& Of(const schema::MessageSchema& message);
  // "Ingredient_UnitEnum": the enum class, in the namespace of its file. protoc's own C++ has the enum Ingredient_Unit there,
  // and one source can include both headers.
  std::string EnumClass(const schema::EnumSchema& enumeration);
  // "::a::b::Ingredient_UnitEnum"
  std::string QualifiedEnumClass(const schema::EnumSchema& enumeration);

 private:
  // The names in the namespace of `file` that are not ours.
  const std::unordered_set<std::string>& Declared(const schema::File& file);

  std::unordered_map<const schema::File*, std::unordered_set<std::string>> declared_;
  std::unordered_map<const schema::MessageSchema*, MessageNames> names_;
};

// kIngredientUnitEnum, internal.
std::string EnumPlanName(const schema::EnumSchema& enumeration);

// "light_blue" -> "LightBlue"
std::string CamelCase(std::string_view name);

// "::a::b" for package a.b, "" for none.
std::string QualifiedNamespace(const schema::File& file);
// {"a", "b"}
std::vector<std::string> NamespaceParts(const schema::File& file);

// "dir/x.structtensor.h" for "dir/x.proto".
std::string HeaderName(std::string_view proto_file_name);
std::string SourceName(std::string_view proto_file_name);

inline constexpr std::string_view kInternalNamespace = "structtensor_internal";

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_PLAN_NAMES_H_
