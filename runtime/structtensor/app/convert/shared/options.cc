#include "structtensor/app/convert/shared/options.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/help.h"

namespace structtensor::convert_internal {

std::optional<int> ParseOptions(int argc, char** argv, std::string_view program_name, std::string_view message_name,
                                ConverterOptions* options) {
  const std::string name(program_name);
  CLI::App app(DescriptionWithExample(absl::StrCat("Converts ", std::string(message_name), " messages to columns."),
                                      absl::StrCat(name, " messages.pb -o messages.parquet")),
               name);
  UseHelp(app);
  app.footer(kExitCodesHelp);
  app.set_version_flag("--version", absl::StrCat(name, " (structtensor ", STRUCTTENSOR_VERSION, ")"));
  InputFlags input;
  RecordFlags records;
  ColumnFlags columns;
  OutputFlags output;
  input.Declare(app, &options->scan);
  DeclareOption(app, "rows", &options->scan);
  output.Declare(app, options);
  columns.Declare(app, &options->scan);
  records.Declare(app, &options->scan);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    app.exit(asked);  // prints the help or the version
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return ReportWrongUsage(name, error.what());
  }
  for (const std::string& problem : {input.Resolve(&options->scan), output.Resolve(options), records.Resolve(options->scan),
                                     columns.Resolve(&options->scan, options->records)}) {
    if (!problem.empty()) return ReportWrongUsage(name, problem);
  }
  return std::nullopt;
}

}  // namespace structtensor::convert_internal
