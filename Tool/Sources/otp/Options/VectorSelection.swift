import ArgumentParser
import OTPVectors

/// Which tests of vector files to run: all, unless something selects.
struct VectorSelection: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only the groups with these ids.", valueName: "ids"), transform: { try names($0, of: nil) })
  var group: Set<String>?

  @Option(
    help: ArgumentHelp("Only the tests with one of these flags.", valueName: "flags"),
    completion: .list(VectorFile.flags), transform: { try names($0, of: VectorFile.flags) })
  var flag: Set<String>?

  @Option(
    help: ArgumentHelp("Only the tests that need no more than these features: a profile.", valueName: "features"),
    completion: .list(VectorFile.features), transform: { try names($0, of: VectorFile.features) })
  var has: Set<String>?

  /// A file, and what it is called.
  typealias NamedFile = (path: PathArgument, file: VectorFile)

  /// What is selected of files, without those of which nothing is. A selection that selects nothing is an error, as is a
  /// group that no file has: nothing passes by not being run.
  func of(_ files: [NamedFile]) throws(ToolError) -> [NamedFile] {
    let groups = group ?? []
    guard groups.allSatisfy({ id in files.contains { $0.file.selecting(groupIDs: [id]).testCount > 0 } }) else {
      throw .usage("--group: the files have no group with one of these ids")
    }
    let selected = files.map { ($0.path, $0.file.selecting(groupIDs: group, flags: flag, features: has)) }
      .filter { $0.1.testCount > 0 }
    guard !selected.isEmpty else { throw .usage("no test has all that was asked for") }
    return selected
  }

  @Sendable private static func names(_ text: String, of known: [String]?) throws -> Set<String> {
    let names = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
    guard let known else { return names }
    guard names.isSubset(of: known) else {
      throw OptionValue.Invalid(description: "must be a list with commas of: \(known.sorted().joined(separator: ", "))")
    }
    return names
  }
}
