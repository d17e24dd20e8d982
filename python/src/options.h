// Options of decoding, encoding and files, by the names of Python's arguments.
#ifndef STRUCTTENSOR_PYTHON_OPTIONS_H_
#define STRUCTTENSOR_PYTHON_OPTIONS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "structtensor/app/scan/scan.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::python {

// Takes the options of a dict, whose keys are names of the library (app/scan/shared/option_table.h).
// None means no limit, no condition, or a format that is found. Throws TypeError for names that are unknown and for
// values of another type, and ValueError for values that are out of range.
ScanOptions ScanOptionsOf(nanobind::dict options);

// The list of options, each as a dict, for _options.py and tools/options.
nanobind::list OptionTable();

RecordFormat FormatOf(nanobind::handle format);

// A list of patterns, or one.
std::vector<std::string> PatternsOf(nanobind::handle patterns, std::string_view what);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_OPTIONS_H_
