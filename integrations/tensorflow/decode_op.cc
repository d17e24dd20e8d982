// The operation StructtensorDecode: serialized messages to the columns of a structured tensor, by the engine.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "c_api.h"
#include "columns.h"
#include "decode_options.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/scan/message_decoder.h"
#include "structtensor/schema/schema.h"

namespace structtensor::tensorflow {
namespace {

class Status {
 public:
  Status() : status_(TF_NewStatus()) {}
  ~Status() { TF_DeleteStatus(status_); }
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  void Set(const absl::Status& status) {
    TF_SetStatus(status_, static_cast<TF_Code>(status.code()), std::string(status.message()).c_str());
  }
  bool ok() const { return TF_GetCode(status_) == 0; }
  TF_Status* get() const { return status_; }

 private:
  TF_Status* const status_;
};

// --- What is decoded, and how

// Kernels come and go: each tf.function makes its own. What takes time to make is kept for all of those with equal attributes.
class DecoderPool {
 public:
  static absl::StatusOr<std::shared_ptr<DecoderPool>> Create(const std::string& descriptor_set, const std::string& message,
                                                             const std::vector<std::string>& options) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Schema schema, Schema::FromDescriptorSet(descriptor_set));
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<const plan::MessagePlan> plan, schema.PlanOf(message));
    STRUCTTENSOR_ASSIGN_OR_RETURN(MessageDecoderOptions decoder_options, ParseDecodeOptions(options));
    auto pool = std::shared_ptr<DecoderPool>(new DecoderPool(std::move(plan), std::move(decoder_options)));
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<MessageDecoder> decoder, pool->Take());
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Column> columns, pool->Columns(decoder->empty()));
    for (const Column& column : columns) pool->types_.push_back(TensorFlowDType(column.values.dtype()));
    pool->GiveBack(std::move(decoder));
    return pool;
  }

  const std::vector<TF_DataType>& types() const { return types_; }

  absl::StatusOr<std::vector<Column>> Columns(const StructuredTensor& rows) const {
    return ColumnsOf(rows, options_.tensor.optionals == Optionals::kDefaultFilled);
  }

  // Of one thread until it is given back.
  absl::StatusOr<std::unique_ptr<MessageDecoder>> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<MessageDecoder> decoder = std::move(free_.back());
        free_.pop_back();
        return decoder;
      }
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(MessageDecoder decoder, MessageDecoder::Create(plan_, options_));
    return std::make_unique<MessageDecoder>(std::move(decoder));
  }
  void GiveBack(std::unique_ptr<MessageDecoder> decoder) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(decoder));
  }

 private:
  DecoderPool(std::shared_ptr<const plan::MessagePlan> plan, MessageDecoderOptions options)
      : plan_(std::move(plan)), options_(std::move(options)) {}

  const std::shared_ptr<const plan::MessagePlan> plan_;
  const MessageDecoderOptions options_;
  std::vector<TF_DataType> types_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<MessageDecoder>> free_;
};

absl::StatusOr<std::shared_ptr<DecoderPool>> PoolOf(const std::string& descriptor_set, const std::string& message,
                                                    const std::vector<std::string>& options) {
  using Key = std::pair<std::pair<std::string, std::string>, std::vector<std::string>>;
  // Never destroyed: TensorFlow's threads may outlive what the process destroys at its end.
  static auto* const kMutex = new std::mutex;
  static auto* const kPools = new std::map<Key, std::weak_ptr<DecoderPool>>;
  const Key key = {{descriptor_set, message}, options};
  const std::lock_guard lock(*kMutex);
  if (const auto known = kPools->find(key); known != kPools->end()) {
    if (std::shared_ptr<DecoderPool> pool = known->second.lock()) return pool;
  }
  std::erase_if(*kPools, [](const auto& entry) { return entry.second.expired(); });
  absl::StatusOr<std::shared_ptr<DecoderPool>> pool = DecoderPool::Create(descriptor_set, message, options);
  if (pool.ok()) kPools->insert_or_assign(key, *pool);
  return pool;
}

std::string StringAttribute(TF_OpKernelConstruction* context, const char* name, TF_Status* status) {
  int32_t unused = 0;
  int32_t size_bytes = 0;
  TF_OpKernelConstruction_GetAttrSize(context, name, &unused, &size_bytes, status);
  if (TF_GetCode(status) != 0) return "";
  std::string value(static_cast<size_t>(size_bytes), '\0');
  TF_OpKernelConstruction_GetAttrString(context, name, value.data(), value.size(), status);
  return value;
}

std::vector<std::string> StringListAttribute(TF_OpKernelConstruction* context, const char* name, TF_Status* status) {
  int32_t count = 0;
  int32_t total_bytes = 0;
  TF_OpKernelConstruction_GetAttrSize(context, name, &count, &total_bytes, status);
  if (TF_GetCode(status) != 0 || count <= 0) return {};
  std::vector<char*> values(static_cast<size_t>(count));
  std::vector<size_t> sizes(values.size());
  std::string storage(static_cast<size_t>(total_bytes), '\0');
  TF_OpKernelConstruction_GetAttrStringList(context, name, values.data(), sizes.data(), count, storage.data(), storage.size(),
                                            status);
  if (TF_GetCode(status) != 0) return {};
  std::vector<std::string> strings;
  for (size_t i = 0; i < values.size(); ++i) strings.emplace_back(values[i], sizes[i]);
  return strings;
}

struct Kernel {
  std::shared_ptr<DecoderPool> pool;
};

void* CreateKernel(TF_OpKernelConstruction* context) {
  Status status;
  const std::string descriptor_set = StringAttribute(context, "descriptor_set", status.get());
  const std::string message = status.ok() ? StringAttribute(context, "message", status.get()) : "";
  const std::vector<std::string> options =
      status.ok() ? StringListAttribute(context, "options", status.get()) : std::vector<std::string>();
  int32_t count = 0;
  int32_t unused = 0;
  if (status.ok()) TF_OpKernelConstruction_GetAttrSize(context, "Tout", &count, &unused, status.get());
  std::vector<TF_DataType> types(static_cast<size_t>(std::max(count, 0)));
  if (status.ok() && count > 0) {
    TF_OpKernelConstruction_GetAttrTypeList(context, "Tout", types.data(), count, status.get());
  }
  if (status.ok()) {
    absl::StatusOr<std::shared_ptr<DecoderPool>> pool = PoolOf(descriptor_set, message, options);
    if (!pool.ok()) {
      status.Set(pool.status());
    } else if ((*pool)->types() != types) {
      status.Set(absl::InvalidArgumentError(
          absl::StrCat("StructtensorDecode: Tout has ", count, " types, which are not those of the ", (*pool)->types().size(),
                       " columns of ", message, "; call structtensor.tf.decode(), which knows them")));
    } else {
      return new Kernel{*std::move(pool)};
    }
  }
  TF_OpKernelConstruction_Failure(context, status.get());
  return nullptr;
}

void DestroyKernel(void* kernel) { delete static_cast<Kernel*>(kernel); }

// --- Tensors of TensorFlow's

std::string_view BytesOf(const TString& string) {
  switch (static_cast<TString::Kind>(string.small.size_and_kind & 3)) {
    case TString::kSmall:
      return {string.small.bytes, static_cast<size_t>(string.small.size_and_kind >> 2)};
    case TString::kLarge:
      return {string.large.bytes, string.large.size_and_kind >> 2};
    case TString::kOffset:
      return {reinterpret_cast<const char*>(&string) + string.offset.offset, string.offset.size_and_kind >> 2};
    case TString::kView:
      break;
  }
  return {string.view.bytes, string.view.size_and_kind >> 2};
}

// The eager runtime ends the process on memory that is not aligned so.
constexpr size_t kAlignmentBytes = 64;

// What a tensor keeps alive.
struct Owner {
  std::shared_ptr<const void> of_data;
  void* block = nullptr;  // freed
};

void Deallocate(void*, size_t, void* argument) {
  auto* const owner = static_cast<Owner*>(argument);
  std::free(owner->block);
  delete owner;
}

void SetOutput(TF_OpKernelContext* context, int index, TF_Tensor* tensor, TF_Status* status) {
  TF_SetOutput(context, index, tensor, status);
  TF_DeleteTensor(tensor);
}

// The strings themselves are made, in one block. Those longer than 22 bytes point at the decoded bytes, which the tensor keeps.
// TensorFlow reads strings that own nothing while the tensor lives, and copies what outlives it.
void OutputStrings(TF_OpKernelContext* context, int index, const Tensor& tensor, TF_Status* status) {
  const int64_t size = tensor.size_elements();
  const size_t size_bytes = static_cast<size_t>(size) * sizeof(TString);
  void* block = nullptr;
  if (posix_memalign(&block, kAlignmentBytes, std::max(size_bytes, kAlignmentBytes)) != 0) {
    return TF_SetStatus(status, static_cast<TF_Code>(absl::StatusCode::kResourceExhausted),
                        "there is no memory for the strings");
  }
  auto* const strings = static_cast<TString*>(block);
  std::memset(block, 0, size_bytes);
  for (int64_t i = 0; i < size; ++i) {
    const std::string_view bytes = tensor.string_at(i);
    TString& string = strings[i];
    if (bytes.size() <= TString::kSmallCapacity) {
      string.small.size_and_kind = static_cast<uint8_t>(bytes.size() << 2 | TString::kSmall);
      std::copy(bytes.begin(), bytes.end(), string.small.bytes);
    } else {
      string.large = {bytes.size() << 2 | TString::kLarge, bytes.size(), bytes.data()};
    }
  }
  auto* const owner = new Owner{std::make_shared<const Tensor>(tensor), block};
  SetOutput(context, index, TF_NewTensor(TF_STRING, &size, 1, block, size_bytes, Deallocate, owner), status);
}

void OutputNumbers(TF_OpKernelContext* context, int index, const Tensor& tensor, TF_Status* status) {
  const int64_t size = tensor.size_elements();
  const TF_DataType type = TensorFlowDType(tensor.dtype());
  const auto [data, size_bytes] = VisitStoredType(tensor.dtype(), [&]<typename T>() {
    const std::span<const T> values = tensor.values<T>();
    return std::pair<const void*, size_t>(values.data(), values.size_bytes());
  });
  if (size > 0 && reinterpret_cast<uintptr_t>(data) % kAlignmentBytes == 0) {
    auto* const owner = new Owner{std::make_shared<const Tensor>(tensor)};
    // Nobody writes to it: TensorFlow writes only to tensors that own their memory, and this one does not.
    return SetOutput(context, index, TF_NewTensor(type, &size, 1, const_cast<void*>(data), size_bytes, Deallocate, owner),
                     status);
  }
  TF_Tensor* const output = TF_AllocateOutput(context, index, type, &size, 1, size_bytes, status);
  if (TF_GetCode(status) != 0) return;
  if (size_bytes > 0) std::memcpy(TF_TensorData(output), data, size_bytes);
  TF_DeleteTensor(output);
}

absl::StatusOr<std::vector<Column>> Decode(DecoderPool& pool, std::span<const std::string_view> messages) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<MessageDecoder> decoder, pool.Take());
  const absl::StatusOr<StructuredTensor> rows = decoder->Decode(messages);
  pool.GiveBack(std::move(decoder));
  if (!rows.ok()) return rows.status();
  return pool.Columns(*rows);
}

void Compute(void* kernel, TF_OpKernelContext* context) {
  Status status;
  TF_Tensor* input = nullptr;
  TF_GetInput(context, 0, &input, status.get());
  if (!status.ok()) return TF_OpKernelContext_Failure(context, status.get());
  const std::unique_ptr<TF_Tensor, void (*)(TF_Tensor*)> owned(input, TF_DeleteTensor);
  if (TF_NumDims(input) != 1) {
    status.Set(absl::InvalidArgumentError(
        absl::StrCat("StructtensorDecode: serialized messages are a vector; found rank ", TF_NumDims(input))));
    return TF_OpKernelContext_Failure(context, status.get());
  }
  const std::span strings(static_cast<const TString*>(TF_TensorData(input)), static_cast<size_t>(TF_TensorElementCount(input)));
  std::vector<std::string_view> messages;
  messages.reserve(strings.size());
  for (const TString& string : strings) messages.push_back(BytesOf(string));
  const absl::StatusOr<std::vector<Column>> columns = Decode(*static_cast<Kernel*>(kernel)->pool, messages);
  if (!columns.ok()) {
    status.Set(columns.status());
    return TF_OpKernelContext_Failure(context, status.get());
  }
  for (size_t i = 0; i < columns->size() && status.ok(); ++i) {
    const Tensor& values = (*columns)[i].values;
    (IsStringLike(values.dtype()) ? OutputStrings : OutputNumbers)(context, static_cast<int>(i), values, status.get());
  }
  if (!status.ok()) TF_OpKernelContext_Failure(context, status.get());
}

// Vectors, all of them.
void InferShapes(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* const input = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, input, status);
  if (TF_GetCode(status) == 0) TF_ShapeInferenceContextWithRank(context, input, 1, input, status);
  TF_DeleteShapeHandle(input);
  if (TF_GetCode(status) != 0) return;
  constexpr auto kUnknownSize = static_cast<size_t>(-1);
  TF_ShapeHandle* const vector = TF_ShapeInferenceContextVectorFromSize(context, kUnknownSize);
  // Nothing tells how many outputs there are, but that one beyond them is refused.
  for (int i = 0; TF_GetCode(status) == 0; ++i) TF_ShapeInferenceContextSetOutput(context, i, vector, status);
  TF_DeleteShapeHandle(vector);
  TF_SetStatus(status, 0, "");
}

void Tell(const char* what, const Status& status) {
  if (!status.ok()) std::fprintf(stderr, "structtensor: TensorFlow refuses the %s: %s\n", what, TF_Message(status.get()));
}

// TensorFlow loads the library for its operations: they are there once it is loaded.
const bool kRegistered = [] {
  Status status;
  TF_OpDefinitionBuilder* const op = TF_NewOpDefinitionBuilder("StructtensorDecode");
  TF_OpDefinitionBuilderAddInput(op, "serialized: string");
  TF_OpDefinitionBuilderAddAttr(op, "descriptor_set: string");
  TF_OpDefinitionBuilderAddAttr(op, "message: string");
  TF_OpDefinitionBuilderAddAttr(op, "options: list(string) >= 0");
  TF_OpDefinitionBuilderAddAttr(op, "Tout: list(type) >= 0");
  TF_OpDefinitionBuilderAddOutput(op, "columns: Tout");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, InferShapes);
  TF_RegisterOpDefinition(op, status.get());
  Tell("operation", status);
  TF_RegisterKernelBuilder("StructtensorDecode",
                           TF_NewKernelBuilder("StructtensorDecode", "CPU", CreateKernel, Compute, DestroyKernel),
                           status.get());
  Tell("kernel", status);
  return status.ok();
}();

}  // namespace
}  // namespace structtensor::tensorflow
