import ArgumentParser

/// How the result is printed.
struct JSONOption: ParsableArguments {
  @Flag(help: "Print the result as one JSON object.")
  var json = false
}
