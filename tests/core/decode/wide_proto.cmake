# Writes wide.proto, whose types have enough fields for a few messages to make large tables.
#   cmake -DOUTPUT=wide.proto -P wide_proto.cmake
function(fields count first out)
  set(text "")
  math(EXPR last "${first} + ${count} - 1")
  foreach(number RANGE ${first} ${last})
    string(APPEND text "  optional int64 field_${number} = ${number};\n")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()
fields(2000 1 wide_fields)
fields(500 3 tree_fields)
file(WRITE ${OUTPUT}
"syntax = \"proto2\";
package structtensor.testing;

message Wide2000 {
${wide_fields}}

message Narrow {}

message WideHolder {
  optional Wide2000 wide = 1;
}

message WideList {
  repeated Wide2000 items = 1;
  repeated group Item = 2 {
    optional Wide2000 wide = 1;
  }
  repeated WideHolder holders = 3;
  repeated Narrow narrow = 4;
}

message WideTree {
  optional WideTree left = 1;
  optional WideTree right = 2;
${tree_fields}}
")
