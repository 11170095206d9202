import ArgumentParser
import Foundation
import OTP
import OTPSeeds

/// `otp export`
struct Export: AsyncParsableCommand, PathTaking {
  /// What is written.
  enum Target: String, CaseIterable {
    case pskc, uris
  }

  static let configuration = CommandConfiguration(
    abstract: "Write the keys of a file in another format: encrypted, or as key URIs.",
    discussion: """
      Standard output must not be a terminal. 'pskc' is a key container (RFC 6030) that is encrypted for a password or \
      a key of 32 bytes; 'uris' has the secrets as they are, one key URI a line, and so has to be asked for twice, by \
      --show-secret. If any key is refused, nothing is written but the report that 'otp import --check' prints, and \
      the exit status is 1.

      A store's own secrets are shown to nobody, and this command does not open one.

      EXAMPLE: (umask 077; otp export uris.txt --format uris --to pskc --to-password-file new.txt > keys.xml)
      """)

  @OptionGroup var file: SeedFileOptions

  @Option(
    help: ArgumentHelp("What to write: pskc or uris.", valueName: "format"),
    completion: .list(Target.allCases.map(\.rawValue)), transform: target)
  var to: Target

  @Option(
    help: ArgumentHelp("pskc: the file with the key to encrypt by, in hexadecimal.", valueName: "path"),
    completion: .file())
  var toKeyFile: PathArgument?

  @Option(
    help: ArgumentHelp("pskc: the file with the password to encrypt by.", valueName: "path"), completion: .file())
  var toPasswordFile: PathArgument?

  @Flag(help: "uris: write the secrets as they are.")
  var showSecret = false

  var paths: [PathArgument] { file.paths + [toKeyFile, toPasswordFile].compactMap { $0 } }

  func run() async throws {
    try OperatorBackend.check()
    guard isatty(STDOUT_FILENO) == 0 else { throw ToolError.usage("standard output is a terminal; write to a file") }
    let write = try writer()
    let seeds = try SeedFile.open(file)
    var report = try seeds.report { (seed) throws(SeedRefusal) in _ = try write.text(seed) }
    guard report.refused == 0 else {
      report.result = "refused"
      try report.print(asJSON: false)
      throw ExitStatus.negative
    }
    var reader = try seeds.reader()
    try StandardOutput.write(write.beginning)
    while let record = try nextRecord(of: &reader) {
      guard case .seed(let seed) = record else { throw ToolError.data("the file has changed while it was read") }
      try StandardOutput.write(write.text(seed))
    }
    try StandardOutput.write(write.end)
  }

  /// What writes a key, and what comes before and after all.
  private func writer() throws -> (beginning: String, text: (Seed) throws(SeedRefusal) -> String, end: String) {
    let key = try SeedFileOptions.key(toKeyFile, toPasswordFile)
    switch to {
    case .pskc:
      guard let key, !showSecret else {
        throw ToolError.usage("--to pskc needs --to-password-file or --to-key-file, and no --show-secret")
      }
      do throws(SeedRefusal) {
        let writer = try PSKCWriter(key)
        return (writer.beginning, { (seed) throws(SeedRefusal) in try writer.package(of: seed) }, writer.end)
      } catch {
        throw error.reason == .mismatched ? ToolError.data("--to-key-file: not 32 bytes") : .software("\(error)")
      }
    case .uris:
      guard showSecret, key == nil else {
        throw ToolError.usage("--to uris writes secrets as they are: it needs --show-secret, and takes no key")
      }
      return (
        "",
        { (seed) throws(SeedRefusal) in
          guard let uri = try? seed.uri() else { throw SeedRefusal(line: seed.line, .uri, .unsupported) }
          return uri.uriString() + "\n"
        }, ""
      )
    }
  }

  @Sendable private static func target(_ text: String) throws -> Target {
    guard let target = Target(rawValue: text) else { throw OptionValue.Invalid(description: "must be pskc or uris") }
    return target
  }
}
