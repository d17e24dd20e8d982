# cmake -DTARGET=... -DFILE=... -P StructtensorDepfile.cmake: escapes spaces in a file that protoc wrote with --dependency_out, one path
# on each line, for the target. protoc does not escape them.
file(READ ${FILE} text)
string(REPLACE "${TARGET}: " "" text "${text}")
string(REGEX REPLACE "\\\\?\n *" ";" paths "${text}")
string(REPLACE " " "\\ " target "${TARGET}")
set(escaped "${target}:")
foreach(path IN LISTS paths)
  if(path)
    string(REPLACE " " "\\ " path "${path}")
    string(APPEND escaped " \\\n  ${path}")
  endif()
endforeach()
file(WRITE ${FILE} "${escaped}\n")
