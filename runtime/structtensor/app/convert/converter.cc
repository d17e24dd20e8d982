#include "structtensor/app/convert/converter.h"

#include <cstdio>
#include <optional>

#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/conversion.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/convert/shared/program.h"
#include "structtensor/core/base/abi/strings.h"
#include "structtensor/io/column_files/remote_file_systems.h"

namespace structtensor {

namespace {

int RunConverter(int argc, char** argv, const plan::MessagePlan& message, std::string_view program_name) {
  const RemoteFileSystems remote;
  converter_internal::ConverterOptions options;
  if (const std::optional<int> exit_code =
          converter_internal::ParseOptions(argc, argv, program_name, message.full_name, &options)) {
    return *exit_code;
  }
  if (options.scan.format == RecordFormat::kTextproto || options.records == RecordFormat::kTextproto) {
    absl::FPrintF(
        stderr,
        "%s: textproto: this program does without libprotobuf, which reads and writes it; the command structtensor does both\n",
        ToAbsl(program_name));
    return converter_internal::kExitUsage;
  }
  const absl::StatusOr<converter_internal::ConversionSummary> summary = converter_internal::Convert(options, message);
  if (summary.ok()) return converter_internal::kExitOk;
  absl::FPrintF(stderr, "%s: %s\n", ToAbsl(program_name),
                converter_internal::WithFlagNames(std::string(summary.status().message())));
  return converter_internal::kExitFailure;
}

}  // namespace

int ConverterMain(int argc, char** argv, const plan::MessagePlan& message, std::string_view program_name) {
  return converter_internal::RunProgram(program_name, [&] { return RunConverter(argc, argv, message, program_name); });
}

}  // namespace structtensor
