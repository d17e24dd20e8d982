#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {

Key Key::Fields(std::vector<std::string> names) {
  Key key(Kind::kFields);
  key.fields_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  return key;
}

Key Key::Rows(Tensor indices) {
  Key key(Kind::kRows);
  key.array_ = std::make_shared<const Value>(std::move(indices));
  return key;
}

Key Key::Rows(std::vector<int64_t> indices) { return Rows(Tensor::FromVector(std::move(indices))); }

Key Key::Mask(Value mask) {
  Key key(Kind::kMask);
  key.array_ = std::make_shared<const Value>(std::move(mask));
  return key;
}

Key Key::MapKey(std::string map_key) {
  Key key(Kind::kMapKey);
  key.map_key_is_text_ = true;
  key.name_ = std::move(map_key);
  return key;
}

Key Key::IntegerMapKey(bool is_negative, uint64_t bits) {
  Key key(Kind::kMapKey);
  key.map_key_is_negative_ = is_negative;
  key.index_ = static_cast<int64_t>(bits);
  return key;
}

std::string Key::DebugString() const {
  constexpr size_t kMaxArrayBytes = 40;
  switch (kind_) {
    case Kind::kName:
      return absl::StrCat("'", name_, "'");
    case Kind::kIndex:
      return absl::StrCat(index_);
    case Kind::kEllipsis:
      return "...";
    case Kind::kNewAxis:
      return "newaxis";
    case Kind::kMapKey:
      if (map_key_is_text_) return absl::StrCat("MapKey('", name_, "')");
      return map_key_is_negative_ ? absl::StrCat("MapKey(", index_, ")")
                                  : absl::StrCat("MapKey(", static_cast<uint64_t>(index_), ")");
    case Kind::kMask:
      return absl::StrCat("mask of shape ", array_->shape().DebugString());
    case Kind::kRows: {
      std::string text = ToJson(*array_, {.max_bytes = kMaxArrayBytes});
      return text.size() < kMaxArrayBytes ? text : text + "…";
    }
    case Kind::kFields: {
      std::string text = "fields(";
      for (const std::string& name : *fields_) absl::StrAppend(&text, text.back() == '(' ? "" : ", ", name);
      return text + ")";
    }
    case Kind::kSlice:
      break;
  }
  std::string text;
  if (slice_.begin) absl::StrAppend(&text, *slice_.begin);
  text += ':';
  if (slice_.end) absl::StrAppend(&text, *slice_.end);
  if (slice_.step != 1) absl::StrAppend(&text, ":", slice_.step);
  return text;
}

}  // namespace structtensor
