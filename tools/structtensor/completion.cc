#include <iostream>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "structtensor/app/convert/shared/flags.h"

namespace structtensor::command {
namespace {

// The names of all options of an app: "--from -o --output".
std::string OptionNames(const CLI::App& app) {
  std::string names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) absl::StrAppend(&names, " -", name);
    for (const std::string& name : option->get_lnames()) absl::StrAppend(&names, " --", name);
  }
  return names;
}

// A bash function that completes verbs, then the options of the verb; everything else is a file.
std::string BashScript(const CLI::App& app) {
  std::string verbs;
  std::string cases;
  for (const CLI::App* verb : app.get_subcommands({})) {
    absl::StrAppend(&verbs, " ", verb->get_name());
    absl::StrAppend(&cases, "    ", verb->get_name(), ") options=\"", OptionNames(*verb), "\" ;;\n");
  }
  return absl::StrCat(
      "_structtensor() {\n  local word=\"${COMP_WORDS[COMP_CWORD]}\" options=\"\"\n  case \"${COMP_WORDS[1]}\" in\n", cases,
      "  esac\n  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W \"", verbs, OptionNames(app),
      "\" -- \"$word\"))\n  elif [[ \"$word\" == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  fi\n}\ncomplete -o default -o bashdefault -F _structtensor structtensor\n");
}

class CompletionVerb : public Verb {
 public:
  explicit CompletionVerb(CLI::App& app) : app_(app) {
    CLI::App* const verb = AddVerb(app, "completion", "source <(structtensor completion bash)",
                                   "Print a shell script that completes verbs, options and files");
    verb->add_option("SHELL", shell_, "The shell: bash or zsh")->check(CLI::IsMember({"bash", "zsh"}))->required();
  }

  absl::StatusOr<int> Run() override {
    if (shell_ == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
    std::cout << BashScript(app_);
    return convert_internal::kExitOk;
  }

 private:
  CLI::App& app_;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Verb> AddCompletion(CLI::App& app) { return std::make_unique<CompletionVerb>(app); }

}  // namespace structtensor::command
