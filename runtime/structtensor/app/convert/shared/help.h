// The help of the command and of converters: a screen of common options for --help, and every option for --help-all.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_HELP_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_HELP_H_

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace structtensor::convert_internal {

// Gives `app`, and the verbs that are added to it later, the flags --help and --help-all and the layout of their pages.
void UseHelp(CLI::App& app);

// The description of a program or verb: one line about what it does, and a command that shows it. Lists of verbs have only the
// line.
std::string DescriptionWithExample(std::string_view what, std::string_view example);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_HELP_H_
