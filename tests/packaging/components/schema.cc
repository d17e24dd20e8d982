// Decodes a message of a type that is known when the program runs. Arguments: a .proto file and its folder.
#include "structtensor/app/schema/schema.h"

#include <iostream>
#include <string_view>
#include <vector>

#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"

int main(int, char** argv) {
  const auto schema = structtensor::Schema::FromProtoFiles({argv[1]}, {argv[2]});
  if (!schema.ok()) return std::cerr << schema.status() << "\n", 1;
  const auto plan = schema->PlanOf("Recipe");
  if (!plan.ok()) return std::cerr << plan.status() << "\n", 1;
  structtensor::BatchDecoder decoder(**plan);
  const auto batch =
      decoder.Decode(std::vector<std::string_view>{"\x0a\x03"
                                                   "egg\x10\x06"});
  if (!batch.ok()) return std::cerr << batch.status() << "\n", 1;
  const auto rows = structtensor::ToStructuredTensor(*batch);
  if (!rows.ok()) return std::cerr << rows.status() << "\n", 1;
  std::cout << structtensor::ToJson(*rows) << "\n";
}
