#include "structtensor/app/convert/converter.h"

#include <cstdio>
#include <optional>

#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/conversion.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/convert/shared/program.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/column_files/remote_file_systems.h"

namespace structtensor {

namespace {

int RunConverter(int argc, char** argv, const plan::MessagePlan& message, std::string_view program_name) {
  const RemoteFileSystems remote;
  convert_internal::ConverterOptions options;
  if (const std::optional<int> exit_code =
          convert_internal::ParseOptions(argc, argv, program_name, message.full_name, &options)) {
    return *exit_code;
  }
  if (options.scan.format == RecordFormat::kTextproto || options.records == RecordFormat::kTextproto) {
    absl::FPrintF(
        stderr,
        "%s: textproto: this program does without libprotobuf, which reads and writes it; the command structtensor does both\n",
        ToAbsl(program_name));
    return convert_internal::kExitUsage;
  }
  const absl::StatusOr<convert_internal::ConversionSummary> summary = convert_internal::Convert(options, message);
  if (summary.ok()) return convert_internal::kExitOk;
  absl::FPrintF(stderr, "%s: %s\n", ToAbsl(program_name),
                convert_internal::WithFlagNames(std::string(summary.status().message())));
  return convert_internal::kExitFailure;
}

}  // namespace

int ConverterMain(int argc, char** argv, const plan::MessagePlan& message, std::string_view program_name) {
  return convert_internal::RunProgram(program_name, [&] { return RunConverter(argc, argv, message, program_name); });
}

}  // namespace structtensor
