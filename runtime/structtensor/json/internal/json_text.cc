#include "structtensor/json/internal/json_text.h"

#include <utility>

namespace structtensor::json_internal {

void JsonText::Grow(size_t size_bytes) {
  const std::string_view text = view();
  const size_t room_bytes = std::max(text.size() + size_bytes + 1, 2 * static_cast<size_t>(limit_ - begin_.get()));
  auto grown = std::make_unique_for_overwrite<char[]>(std::max<size_t>(room_bytes, 1024));
  if (!text.empty()) std::memcpy(grown.get(), text.data(), text.size());
  end_ = grown.get() + text.size();
  limit_ = grown.get() + std::max<size_t>(room_bytes, 1024);
  begin_ = std::move(grown);
}

}  // namespace structtensor::json_internal
