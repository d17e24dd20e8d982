#include "messages.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "batch.h"
#include "convert.h"
#include "options.h"
#include "structtensor/io/records/split_records.h"

namespace structtensor::python {
namespace {

void AddColumn(const Value& value, Messages& messages) {
  messages.column = value;
  const Tensor* const strings = value.tensor();
  if (strings == nullptr || strings->rank() != 1 || !IsStringLike(strings->dtype())) {
    ThrowError(PyExc_TypeError, "messages: expected a column of bytes, found " + value.spec().DebugString());
  }
  for (int64_t i = 0; i < strings->size_elements(); ++i) {
    if (!strings->is_valid(i)) ThrowError(PyExc_ValueError, absl::StrCat("messages: row ", i, " of the column is null"));
    messages.views.push_back(strings->string_at(i));
  }
}

}  // namespace

void AddMessages(nb::handle object, nb::handle format, Messages& messages) {
  if (!format.is_none()) {
    messages.kept.push_back(nb::borrow(object));
    const std::string_view bytes = BytesOf(object, "messages with a format", messages.kept);
    absl::StatusOr<std::vector<std::string_view>> split = SplitRecords(FormatOf(format), bytes);
    if (split.status().code() == absl::StatusCode::kDataLoss) {
      const absl::string_view text = split.status().message();
      ThrowDecodeError({text.data(), text.size()}, nullptr);
    }
    messages.views = Unwrap(std::move(split));
    return;
  }
  if (const std::optional<Value> value = AsValue(object)) return AddColumn(*value, messages);
  if (nb::hasattr(object, "__arrow_c_array__") || nb::hasattr(object, "__arrow_c_stream__")) {
    return AddColumn(ValueOf(object), messages);
  }
  if (PyBytes_Check(object.ptr()) || PyByteArray_Check(object.ptr()) || PyUnicode_Check(object.ptr())) {
    ThrowError(PyExc_TypeError,
               "messages: expected a list of bytes, or a column of an Arrow array; for one buffer of messages pass format=, "
               "for one message [message]");
  }
  // A tuple of our own, so that no other code can remove messages from it meanwhile.
  nb::object items = nb::steal(PySequence_Tuple(object.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  messages.kept.push_back(items);
  messages.views.reserve(nb::len(items));
  for (nb::handle item : nb::borrow<nb::tuple>(items)) messages.views.push_back(BytesOf(item, "message", messages.kept));
}

}  // namespace structtensor::python
