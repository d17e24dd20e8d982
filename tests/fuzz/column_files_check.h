// Checks for the inputs of the column file fuzzer. The first byte of an input selects the reader's options; the rest is a file.
#ifndef STRUCTTENSOR_TESTS_FUZZ_COLUMN_FILES_CHECK_H_
#define STRUCTTENSOR_TESTS_FUZZ_COLUMN_FILES_CHECK_H_

#include <string>
#include <string_view>

namespace structtensor::testing {

// Reads the file. Every error has a code that the reader documents, and a text. Rows that are read are the same after a trip
// through Arrow, and no batch exceeds the limit on its rows. If no error occurs, CountRows() agrees with the rows read.
// Returns "" if all is well, else what is wrong.
std::string CheckColumnFile(std::string_view input);

// Whether the reader returns all rows of the file without an error.
bool ReadsWhole(std::string_view input);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_COLUMN_FILES_CHECK_H_
