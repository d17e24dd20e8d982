// Views into a batch that is gone at the end of the statement. Compilers that know [[clang::lifetimebound]] warn about each.
#include <string_view>

#include "recipe.structtensor.h"

cookbook::RecipeBatch Load();
structtensor::EncodedBatch Encode();

void Use() {
  auto rows = Load().rows();
  auto row = Load()[0];
  const structtensor::DecodedBatch& decoded = Load().decoded();
  std::string_view message = Encode()[0];
  (void)rows, (void)row, (void)decoded, (void)message;
}
