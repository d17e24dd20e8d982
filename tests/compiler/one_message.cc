// A message in place of a range of messages: this must not compile, and the error says what to write.
#include <string>

#include "recipe.structtensor.h"

auto Decode(const std::string& message) { return cookbook::RecipeDecoder().Decode(message); }
