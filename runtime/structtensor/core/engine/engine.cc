#include "structtensor/core/engine/engine.h"

#include <deque>
#include <unordered_map>
#include <vector>

#include "structtensor/core/engine/internal/decode_table.h"
#include "structtensor/core/engine/internal/encode_table.h"

namespace structtensor {
namespace {

// A message type and its tables.
struct EngineMessage {
  plan::MessagePlan plan;
  std::vector<plan::FieldPlan> fields;
  engine_internal::DecodeTable decode_table;
  engine_internal::EncodeTable encode_table;
};

class EngineMessages {
 public:
  explicit EngineMessages(const plan::MessagePlan& root) {
    Copy(root);
    // The tables hold functions, which Copy() has set.
    for (EngineMessage& message : messages_) {
      message.decode_table = engine_internal::MakeDecodeTable(message.plan);
      message.plan.decode_program = &message.decode_table;
      message.encode_table = engine_internal::MakeEncodeTable(message.plan);
      message.plan.encode_program = &message.encode_table;
    }
    for (EngineMessage& message : messages_) engine_internal::LinkDecodeTable(message.plan, message.decode_table);
  }
  EngineMessages(const EngineMessages&) = delete;
  EngineMessages& operator=(const EngineMessages&) = delete;

  const plan::MessagePlan& root() const { return messages_.front().plan; }

 private:
  // Not recursive, because types may reach themselves, and chains of types may be long.
  void Copy(const plan::MessagePlan& root) {
    std::vector<const plan::MessagePlan*> originals;
    std::unordered_map<const plan::MessagePlan*, const plan::MessagePlan*> copies;
    const auto copy_of = [&](const plan::MessagePlan* original) {
      const auto [found, added] = copies.try_emplace(original, nullptr);
      if (added) {
        messages_.emplace_back().plan = *original;
        found->second = &messages_.back().plan;
        originals.push_back(original);
      }
      return found->second;
    };
    copy_of(&root);
    for (size_t i = 0; i < originals.size(); ++i) {
      EngineMessage& message = messages_[i];
      message.fields.assign(originals[i]->fields.begin(), originals[i]->fields.end());
      for (plan::FieldPlan& field : message.fields) {
        if (field.message != nullptr) field.message = copy_of(field.message);
      }
      message.plan.fields = message.fields;
      message.plan.decode = message.plan.presence_words ? engine_internal::kDecodeByRow : engine_internal::kDecodeAppended;
      message.plan.encode = engine_internal::Encode;
    }
  }

  std::deque<EngineMessage> messages_;  // a deque: its elements stay where they are
};

}  // namespace

std::shared_ptr<const plan::MessagePlan> MakeEnginePlan(const plan::MessagePlan& root) {
  auto messages = std::make_shared<const EngineMessages>(root);
  return {messages, &messages->root()};
}

}  // namespace structtensor
