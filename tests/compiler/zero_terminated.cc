// Messages as char arrays, which have no size: this must not compile, and the error says why.
#include <array>

#include "recipe.structtensor.h"

auto Decode() { return cookbook::RecipeDecoder().Decode(std::array{"\x0a\x01\x00", "\x0a"}); }
