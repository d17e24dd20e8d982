#include "command_line.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "command.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/help.h"
#include "structtensor/app/convert/shared/program.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/base/shared/similar_names.h"

namespace structtensor::command {
namespace {

// "; did you mean --from?" for the first argument that looks like an option but is not an option of the verb; "" if there is
// none.
std::string LikelyOption(const CLI::App& verb, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (int i = 2; i < argc; ++i) {
    std::string argument = argv[i];
    argument = argument.substr(0, argument.find('='));
    if (argument == "--") return "";
    if (!argument.starts_with("--") || std::find(names.begin(), names.end(), argument) != names.end()) continue;
    return base_internal::DidYouMean(base_internal::SimilarNames(argument, names));
  }
  return "";
}

int RunVerb(int argc, char** argv) {
  CLI::App app(convert_internal::DescriptionWithExample("Convert, query and inspect protobuf data of any schema",
                                                        "structtensor convert -p recipe.proto recipes.pb -o recipes.parquet"),
               "structtensor");
  convert_internal::UseHelp(app);
  app.set_version_flag("--version", absl::StrCat("structtensor ", STRUCTTENSOR_VERSION, " (protobuf ", ProtobufVersion(), ")"));
  app.require_subcommand(1);
  app.footer("Help on a verb: structtensor VERB --help");
  std::vector<std::unique_ptr<Verb>> verbs;
  // In the order of app's subcommands.
  for (const auto add :
       {AddConvert, AddHead, AddSchema, AddStats, AddCount, AddSql, AddValidate, AddInspect, AddIndex, AddCompletion}) {
    verbs.push_back(add(app));
  }
  const std::vector<CLI::App*> all = app.get_subcommands([](const CLI::App*) { return true; });
  const CLI::App* chosen = nullptr;
  std::vector<std::string> names;
  for (CLI::App* verb : all) {
    names.push_back(verb->get_name());
    if (argc < 2 || verb->get_name() != argv[1]) continue;
    chosen = verb;
  }
  if (argc > 1 && argv[1][0] != '-' && chosen == nullptr) {
    const std::vector<std::string> similar = base_internal::SimilarNames(argv[1], names);
    return convert_internal::ReportWrongUsage(
        "structtensor",
        absl::StrCat("there is no verb '", argv[1], "'",
                     similar.empty() ? "; there are " + absl::StrJoin(names, ", ") : base_internal::DidYouMean(similar)));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    app.exit(asked);  // prints the help or the version
    return convert_internal::kExitOk;
  } catch (const CLI::ParseError& error) {
    const bool unknown_option = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && chosen != nullptr;
    return convert_internal::ReportWrongUsage(
        absl::StrCat("structtensor", chosen == nullptr ? "" : " " + chosen->get_name()),
        absl::StrCat(error.what(), unknown_option ? LikelyOption(*chosen, argc, argv) : ""));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i]->parsed()) continue;
    const std::string name = "structtensor " + all[i]->get_name();
    if (const std::string problem = verbs[i]->Resolve(); !problem.empty()) {
      return convert_internal::ReportWrongUsage(name, problem);
    }
    const absl::StatusOr<int> exit_code = verbs[i]->Run();
    std::cout.flush();
    if (!exit_code.ok()) {
      std::cerr << name << ": " << convert_internal::WithFlagNames(std::string(exit_code.status().message())) << "\n";
      return convert_internal::kExitFailure;
    }
    return *exit_code;
  }
  return convert_internal::kExitUsage;
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  return convert_internal::RunProgram("structtensor", [&] { return RunVerb(argc, argv); });
}

}  // namespace structtensor::command
