# Compiles mistakes.cpp with CXX, without its mistakes and with them; each mistake has a message that names it.
set(compile ${CXX} -std=c++20 -fsyntax-only -I${INCLUDE} -I${RANDOM123} ${CMAKE_CURRENT_LIST_DIR}/mistakes.cpp)

execute_process(COMMAND ${compile} RESULT_VARIABLE status ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The model without mistakes does not compile:\n${errors}")
endif()

execute_process(COMMAND ${compile} -DMISTAKES RESULT_VARIABLE status ERROR_VARIABLE errors)
if(status EQUAL 0)
  message(FATAL_ERROR "The compiler accepts the mistakes.")
endif()
foreach(message IN ITEMS
    "a data member of this Place is missing in its Attributes"
    "this rule takes another number of arguments"
    "callAll takes a rule `void f(...)`"
    "this member is not in the Place's Attributes"
    "reduce takes a const function that returns a value, or an attribute"
    "agents with children say how many, at most 255"
    "a rule that only reads its agent has no Intent"
    "deposit adds an attribute of agents, or what a const function without parameters returns"
    "deposit adds to an attribute of places that is a number and not constant"
    "of two rules as one, the first is `Multiset f(args...) const`"
    "NeighborSums are for rules of agents")
  string(FIND "${errors}" "${message}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "The compiler does not say '${message}':\n${errors}")
  endif()
endforeach()
