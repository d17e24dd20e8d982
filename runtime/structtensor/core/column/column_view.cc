#include "structtensor/core/column/column_view.h"

#include <utility>

#include "structtensor/core/column/abi/tree.h"

namespace structtensor {

using column_internal::ColumnAt;
using column_internal::ColumnBuffer;
using column_internal::ColumnStorage;
using column_internal::ColumnTree;
using column_internal::IsActive;
using column_internal::kUnknownFields;
using column_internal::StringRef;

namespace {

// The decoder collects the unknown fields of a row as several pieces. Readers see one string for each row.
constexpr plan::FieldPlan kUnknownFieldsOfRow = [] {
  plan::FieldPlan field = kUnknownFields;
  field.cardinality = plan::Cardinality::kSingular;
  return field;
}();

void ViewUntouched(const ColumnTree& tree, ColumnView& view) {
  const void* zeros = tree.zeros();
  view.values = view.compact_values = zeros;
  view.offsets = view.compact_offsets = static_cast<const int32_t*>(zeros);
  view.bytes = static_cast<const char*>(zeros);
  view.value_rowids = static_cast<const uint32_t*>(zeros);
  view.row_splits = static_cast<const int64_t*>(zeros);
  if (view.nrows != 0 && !view.field->is_repeated() && view.field->presence != plan::Presence::kImplicit) {
    view.validity = static_cast<const uint8_t*>(zeros);
  }
}

}  // namespace

NodeView::NodeView(const ColumnTree& tree) : NodeView(&tree, &tree.plan(), tree.root(), tree.nrows()) {}

bool NodeView::is_root() const { return node_ == tree_->root(); }

bool NodeView::touched(size_t field_index) const {
  const plan::FieldPlan& field = plan_->fields[field_index];
  // A map with chosen keys has rows only in the columns below it.
  return Touched(field) != nullptr || (field.message != nullptr && child(field_index).touched());
}

ColumnView NodeView::column(size_t field_index) const {
  const plan::FieldPlan& field = plan_->fields[field_index];
  const ColumnBuffer* column = Touched(field);
  if (column != nullptr && column->storage->views) tree_->CopyStrings(field, *column, nrows_);
  return View(field, column);
}

ColumnView NodeView::column_in_place(size_t field_index) const {
  const plan::FieldPlan& field = plan_->fields[field_index];
  const ColumnBuffer* column = Touched(field);
  ColumnView view = View(field, column);
  if (column != nullptr && column->storage->views) {
    view.refs = static_cast<const StringRef*>(view.values);
    view.offsets = view.compact_offsets = nullptr;
    view.bytes = nullptr;
  }
  return view;
}

const ColumnBuffer* NodeView::Touched(const plan::FieldPlan& field) const {
  const ColumnBuffer* column = node_ == nullptr ? nullptr : &ColumnAt(node_, field);
  return column != nullptr && IsActive(*column) && column->size != 0 ? column : nullptr;
}

// `column`: null if it is untouched.
ColumnView NodeView::View(const plan::FieldPlan& field, const ColumnBuffer* column) const {
  ColumnView view;
  view.field = &field;
  view.nrows = nrows_;
  if (column == nullptr) {
    ViewUntouched(*tree_, view);
    return view;
  }
  const ColumnStorage& storage = *column->storage;
  view.opaque = plan::IsOpaque(storage.layout);
  view.nvals = column->size;
  view.bytes = static_cast<const char*>(storage.bytes.data);
  view.compact_values = storage.values.data;
  view.compact_offsets = static_cast<const int32_t*>(storage.offsets.data);
  if (view.field->is_repeated()) {
    view.row_splits = column->row_splits;
    view.values = view.compact_values;
    view.offsets = view.compact_offsets;
    return view;
  }
  view.value_rowids = storage.all_present ? tree_->all_rows() : column->rows;
  if (storage.all_present) {
    view.values = view.compact_values;
    view.offsets = view.compact_offsets;
    return view;
  }
  view.values = storage.finished_values.data;
  switch (storage.layout) {
    case plan::Layout::kByRow:
    case plan::Layout::kCaseByRow:
    case plan::Layout::kMessageByRow:
      std::swap(view.values, view.compact_values);
      break;
    case plan::Layout::kAppended:
    case plan::Layout::kAppendedMessage:
    case plan::Layout::kBytes:
      tree_->Expand(*view.field, *column, nrows_);
      break;
    case plan::Layout::kChosenKeys:  // has no rows of its own
    case plan::Layout::kElements:    // dealt with above
    case plan::Layout::kElementBytes:
    case plan::Layout::kElementMessages:
      break;
  }
  view.offsets = static_cast<const int32_t*>(storage.dense_offsets.data);
  if (view.field->presence != plan::Presence::kImplicit) view.validity = static_cast<const uint8_t*>(storage.validity.data);
  return view;
}

ColumnView NodeView::unknown_fields() const {
  ColumnView view;
  view.field = &kUnknownFieldsOfRow;
  view.nrows = view.nvals = nrows_;
  if (node_ == nullptr || !IsActive(node_->unknown_fields) || node_->unknown_fields.size == 0) {
    ViewUntouched(*tree_, view);
    return view;
  }
  const ColumnStorage& storage = *node_->unknown_fields.storage;
  view.bytes = static_cast<const char*>(storage.bytes.data);
  view.offsets = view.compact_offsets = static_cast<const int32_t*>(storage.dense_offsets.data);
  return view;
}

NodeView NodeView::child(size_t field_index) const {
  const plan::FieldPlan& field = plan_->fields[field_index];
  const ColumnBuffer* column = node_ == nullptr ? nullptr : &ColumnAt(node_, field);
  // Messages that are kept as bytes have no columns below them.
  const bool touched =
      column != nullptr && IsActive(*column) && plan::HasNode(column->storage->layout) && HasChildData(*column);
  const uint32_t child_nrows = !field.is_repeated() ? nrows_ : touched ? column->size : 0;
  return NodeView(tree_, field.message, touched ? column->child : nullptr, child_nrows);
}

}  // namespace structtensor
