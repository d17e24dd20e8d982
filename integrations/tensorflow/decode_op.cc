// The operation StructtensorDecode: serialized messages to the columns of a structured tensor, by the engine.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "columns.h"
#include "decode_options.h"
#include "op.h"
#include "structtensor/app/scan/message_decoder.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::tensorflow {
namespace {

// --- The message type and the options of decoding

// Each tf.function makes kernels of its own. The parts that take time to make are shared by all kernels with equal attributes.
class DecoderPool {
 public:
  static absl::StatusOr<std::shared_ptr<DecoderPool>> Create(const std::string& descriptor_set, const std::string& message,
                                                             const std::vector<std::string>& options) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Schema schema, Schema::FromDescriptorSet(descriptor_set));
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<const plan::MessagePlan> plan, schema.PlanOf(message));
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowOptions decoder_options, ParseDecodeOptions(options));
    auto pool = std::shared_ptr<DecoderPool>(new DecoderPool(std::move(plan), std::move(decoder_options)));
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<MessageDecoder> decoder, pool->Take());
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Column> columns, pool->Columns(decoder->empty()));
    for (const Column& column : columns) {
      pool->types_.push_back(TensorFlowDType(column.dtype()));
      pool->names_.push_back(column.name());
    }
    pool->GiveBack(std::move(decoder));
    return pool;
  }

  const std::vector<TF_DataType>& types() const { return types_; }
  const std::vector<std::string>& names() const { return names_; }

  absl::StatusOr<std::vector<Column>> Columns(const StructuredTensor& rows) const {
    return ColumnsOf(rows, options_.tensor.optionals == Optionals::kDefaultFilled);
  }

  // The decoder belongs to one thread until it is given back.
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
    // A decoder keeps its buffers. More of them than the machine's threads are needed only for a moment.
    static const size_t kMaxFree = std::max(1u, std::thread::hardware_concurrency());
    const std::lock_guard lock(mutex_);
    if (free_.size() < kMaxFree) free_.push_back(std::move(decoder));
  }

 private:
  DecoderPool(std::shared_ptr<const plan::MessagePlan> plan, RowOptions options)
      : plan_(std::move(plan)), options_(std::move(options)) {}

  const std::shared_ptr<const plan::MessagePlan> plan_;
  const RowOptions options_;
  std::vector<TF_DataType> types_;
  std::vector<std::string> names_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<MessageDecoder>> free_;
};

absl::StatusOr<std::shared_ptr<DecoderPool>> PoolOf(const std::string& descriptor_set, const std::string& message,
                                                    const std::vector<std::string>& options) {
  using Key = std::pair<std::pair<std::string, std::string>, std::vector<std::string>>;
  // Never destroyed: TensorFlow's threads may outlive the objects that the process destroys at its end.
  static auto* const kMutex = new std::mutex;
  static auto* const kPools = new std::map<Key, std::weak_ptr<DecoderPool>>;
  const Key key = {{descriptor_set, message}, options};
  // Requires: the lock is held.
  const auto known = [&key]() -> std::shared_ptr<DecoderPool> {
    const auto found = kPools->find(key);
    return found == kPools->end() ? nullptr : found->second.lock();
  };
  {
    const std::lock_guard lock(*kMutex);
    if (std::shared_ptr<DecoderPool> pool = known()) return pool;
  }
  // Without the lock, so that models may be loaded side by side.
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<DecoderPool> made, DecoderPool::Create(descriptor_set, message, options));
  const std::lock_guard lock(*kMutex);
  if (std::shared_ptr<DecoderPool> pool = known()) return pool;  // another thread was faster
  std::erase_if(*kPools, [](const auto& entry) { return entry.second.expired(); });
  kPools->insert_or_assign(key, made);
  return made;
}

// The columns that describe broken messages.
constexpr TF_DataType kErrorTypes[] = {TF_INT64, TF_INT64, TF_STRING, TF_STRING, TF_STRING};

std::vector<Tensor> ErrorColumns(const std::vector<MessageError>& errors) {
  std::vector<int64_t> indices;
  std::vector<int64_t> byte_offsets;
  std::vector<std::string> paths;
  std::vector<std::string> codes;
  std::vector<std::string> problems;
  for (const MessageError& error : errors) {
    indices.push_back(error.message_index);
    byte_offsets.push_back(static_cast<int64_t>(error.byte_offset));
    paths.push_back(error.field_path);
    codes.emplace_back(error.code);
    problems.push_back(scan_internal::WithOptionNames(scan_internal::Face::kTensorFlow, error.problem));
  }
  return {Tensor::FromVector(std::move(indices)), Tensor::FromVector(std::move(byte_offsets)),
          Tensor::FromVector(paths, DType::kBytes), Tensor::FromVector(codes, DType::kBytes),
          Tensor::FromVector(problems, DType::kBytes)};
}

class DecodeKernel {
 public:
  static absl::StatusOr<DecodeKernel> Create(TF_OpKernelConstruction* context) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string descriptor_set, StringAttribute(context, "descriptor_set"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string message, StringAttribute(context, "message"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string> options, StringListAttribute(context, "options"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<TF_DataType> types, TypeListAttribute(context, "Tout"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::shared_ptr<DecoderPool> pool, PoolOf(descriptor_set, message, options));
    std::vector<TF_DataType> with_errors = pool->types();
    with_errors.insert(with_errors.end(), std::begin(kErrorTypes), std::end(kErrorTypes));
    if (types != pool->types() && types != with_errors) {
      return absl::InvalidArgumentError(
          absl::StrCat("StructtensorDecode: Tout has ", types.size(), " types, which are not those of the ",
                       pool->types().size(), " columns of ", message, "; call structtensor.tf.decode(), which knows them"));
    }
    // A saved model keeps which of its tensors each output is. So another version must not give them another order.
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string> columns, StringListAttribute(context, "column_names"));
    const std::vector<std::string>& names = pool->names();
    if (!columns.empty() && columns != names) {
      const size_t i = static_cast<size_t>(std::ranges::mismatch(columns, names).in1 - columns.begin());
      return absl::InvalidArgumentError(
          absl::StrCat("StructtensorDecode: output ", i, " of the model is ", i < columns.size() ? columns[i] : "nothing",
                       ", but this version of structtensor has ", i < names.size() ? names[i] : "nothing",
                       " there; save the model again with this version"));
    }
    return DecodeKernel(pool, types.size() != pool->types().size());
  }

  absl::Status Compute(TF_OpKernelContext* context) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Input serialized, Input::Of(context, 0));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string_view> messages, serialized.Strings());
    std::vector<MessageError> errors;
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<MessageDecoder> decoder, pool_->Take());
    const absl::StatusOr<StructuredTensor> rows = decoder->Decode(messages, tells_errors_ ? &errors : nullptr);
    pool_->GiveBack(std::move(decoder));
    if (!rows.ok()) return rows.status();
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Column> columns, pool_->Columns(*rows));
    int index = 0;
    STRUCTTENSOR_RETURN_IF_ERROR(OutputTensor(context, index++, Tensor::Scalar(rows->nrows())));
    for (const Column& column : columns) STRUCTTENSOR_RETURN_IF_ERROR(OutputColumn(context, index++, column));
    if (!tells_errors_) return absl::OkStatus();
    for (const Tensor& column : ErrorColumns(errors)) STRUCTTENSOR_RETURN_IF_ERROR(OutputTensor(context, index++, column));
    return absl::OkStatus();
  }

 private:
  DecodeKernel(std::shared_ptr<DecoderPool> pool, bool tells_errors) : pool_(std::move(pool)), tells_errors_(tells_errors) {}

  std::shared_ptr<DecoderPool> pool_;
  bool tells_errors_;  // the operation has outputs for errors
};

// TensorFlow loads the library for its operations, so they are registered when the library is loaded.
const bool kDecodeRegistered = RegisterOp({
    .name = "StructtensorDecode",
    .inputs = {"serialized: string"},
    .outputs = {"nrows: int64", "columns: Tout"},
    .attributes = {"descriptor_set: string", "message: string", "options: list(string) >= 0", "Tout: list(type) >= 0",
                   "column_names: list(string) >= 0 = []"},
    .infer_shapes = InferScalarAndVectors,
    .create = CreateKernel<DecodeKernel>,
    .compute = Compute<DecodeKernel>,
    .destroy = DestroyKernel<DecodeKernel>,
});

}  // namespace
}  // namespace structtensor::tensorflow
