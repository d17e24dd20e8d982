#include "structtensor/io/json/internal/field_mask_text.h"

#include <cstddef>

namespace structtensor::json_internal {

bool AppendMaskPath(std::string_view json, std::string& path) {
  for (const char c : json) {
    if (c == '_') return false;
    if (c >= 'A' && c <= 'Z') {
      path += '_';
      path += static_cast<char>(c - 'A' + 'a');
    } else {
      path += c;
    }
  }
  return true;
}

bool AppendMaskJson(std::string_view path, std::string& json) {
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] >= 'A' && path[i] <= 'Z') return false;
    if (path[i] != '_') {
      json += path[i];
      continue;
    }
    if (++i == path.size() || path[i] < 'a' || path[i] > 'z') return false;
    json += static_cast<char>(path[i] - 'a' + 'A');
  }
  return true;
}

}  // namespace structtensor::json_internal
