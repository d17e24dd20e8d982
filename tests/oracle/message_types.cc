#include "message_types.h"

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "extensions.structtensor.h"
#include "foreign_enums.structtensor.h"
#include "message_set.structtensor.h"
#ifdef STRUCTTENSOR_TEST_EDITIONS
#include "editions.structtensor.h"
#include "editions_legacy.structtensor.h"
#endif
#ifdef STRUCTTENSOR_TEST_EDITION_2024
#include "edition2024.structtensor.h"
#endif

namespace structtensor::testing {
namespace {

constexpr bool kRoot = true;
constexpr bool kNoRoot = false;

constexpr MessageType kMessageTypes[] = {
    {"Everything", [] { return &EverythingColumns::plan(); }, kRoot},
    {"Choices", [] { return &ChoicesColumns::plan(); }, kRoot},
    {"Maps", [] { return &MapsColumns::plan(); }, kRoot},
    {"Tree", [] { return &TreeColumns::plan(); }, kRoot},
    {"Wide", [] { return &WideColumns::plan(); }, kRoot},
    {"Everything2", [] { return &Everything2Columns::plan(); }, kRoot},
    {"Groups", [] { return &GroupsColumns::plan(); }, kRoot},
    {"ClosedEnums", [] { return &ClosedEnumsColumns::plan(); }, kRoot},
    {"Required", [] { return &RequiredColumns::plan(); }, kRoot},
    {"Implicit", [] { return &ImplicitColumns::plan(); }, kNoRoot},
    {"Explicit", [] { return &ExplicitColumns::plan(); }, kNoRoot},
    {"Packed", [] { return &PackedColumns::plan(); }, kNoRoot},
    {"Unpacked", [] { return &UnpackedColumns::plan(); }, kNoRoot},
    {"Twin", [] { return &TwinColumns::plan(); }, kNoRoot},
    {"WellKnown", [] { return &WellKnownColumns::plan(); }, kNoRoot},
    {"Keywords", [] { return &KeywordsColumns::plan(); }, kNoRoot},
    {"Nothing", [] { return &NothingColumns::plan(); }, kNoRoot},
    {"Defaults", [] { return &DefaultsColumns::plan(); }, kNoRoot},
    {"Repeated", [] { return &RepeatedColumns::plan(); }, kNoRoot},
    {"RepeatedPacked", [] { return &RepeatedPackedColumns::plan(); }, kNoRoot},
    {"Extendable", [] { return &ExtendableColumns::plan(); }, kNoRoot},
    {"extensions.Extra", [] { return &extensions::ExtraColumns::plan(); }, kNoRoot},
    {"extensions.Scope", [] { return &extensions::ScopeColumns::plan(); }, kNoRoot},
    {"SetHolder", [] { return &SetHolderColumns::plan(); }, kRoot},
    {"Set", [] { return &SetColumns::plan(); }, kNoRoot},
    {"ForeignEnums", [] { return &ForeignEnumsColumns::plan(); }, kRoot},
    {"WideMixed", [] { return &WideMixedColumns::plan(); }, kRoot},
#ifdef STRUCTTENSOR_TEST_EDITIONS  // these stay last: other builds do not have them
    {"editions.Everything", [] { return &editions::EverythingColumns::plan(); }, kRoot},
    {"editions.Delimited", [] { return &editions::DelimitedColumns::plan(); }, kRoot},
    {"editions.Legacy", [] { return &editions::LegacyColumns::plan(); }, kRoot},
    {"editions.LegacyRequired", [] { return &editions::LegacyRequiredColumns::plan(); }, kRoot},
    {"editions.Numbered", [] { return &editions::NumberedColumns::plan(); }, kNoRoot},
    {"editions.Presence", [] { return &editions::PresenceColumns::plan(); }, kNoRoot},
    {"editions.Repeated", [] { return &editions::RepeatedColumns::plan(); }, kNoRoot},
    {"editions.Utf8", [] { return &editions::Utf8Columns::plan(); }, kNoRoot},
#endif
#ifdef STRUCTTENSOR_TEST_EDITION_2024
    {"edition2024.Hidden", [] { return &edition2024::HiddenColumns::plan(); }, kRoot},
    {"edition2024.Reading", [] { return &edition2024::ReadingColumns::plan(); }, kRoot},
#endif
};

}  // namespace

std::span<const MessageType> MessageTypes() { return kMessageTypes; }

std::vector<MessageType> RootTypes() {
  std::vector<MessageType> roots;
  for (const MessageType& type : MessageTypes()) {
    if (type.is_root) roots.push_back(type);
  }
  return roots;
}

const MessageType* FindMessageType(std::string_view name) {
  for (const MessageType& type : MessageTypes()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace structtensor::testing
