import ArgumentParser
import Dispatch
import Foundation
import Keyring

/// `otp record serve`
struct RecordServe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Answer requests about records, for programs in any language.",
    discussion: """
      Reads requests from standard input, each a line of JSON, and answers each by a line. Tool/record-service in the \
      sources describes them. Nothing is kept: a request has the record, and the answer the one to put in its place. \
      With --socket, or a socket from systemd, it serves up to 256 clients at once until it is ended. SIGHUP makes it read \
      the keyring again; if that fails, it keeps the one that it has.

      EXAMPLE: otp record serve /etc/example/keyring --socket /run/example/otp
      """)

  @OptionGroup var keyring: KeyringFile

  @Option(help: "Listen on a Unix socket, which is created with mode 0600.", completion: .file())
  var socket: PathArgument?

  func run() throws {
    let keys = CurrentKeyring()
    // Before the keyring is read, so that a signal neither ends the service nor is missed.
    signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler { [self] in
      do {
        _ = try keys.read(by: open)
        StandardError.write(line: "the keyring was read again")
      } catch {
        StandardError.write(warning: (error as? ToolError)?.message ?? "the keyring cannot be read")
      }
    }
    source.resume()
    let first = try keys.read(by: open)
    let answer: @Sendable ([UInt8], Bool) -> [UInt8] = { line, isCut in
      let service = RecordService(keyring: keys.value ?? first, now: Int64(Date().timeIntervalSince1970))
      return service.answer(to: line, isCut: isCut)
    }
    let given = try UnixSocket(environment: ProcessInfo.processInfo.environment)
    if let socket = try socket.map(UnixSocket.init) ?? given { try socket.serve(answer) }
    var stream = LineStream(input: STDIN_FILENO, output: STDOUT_FILENO)
    guard stream.serve(answer) else { throw ToolError.outputFailed }
    guard !stream.isInputBroken else { throw ToolError.data("standard input cannot be read") }
    source.cancel()
  }

  private func open() throws(ToolError) -> Keyring {
    try keyring.call { (path) throws(KeyringError) in try Keyring(file: path) }
  }
}

/// The keyring that was read last.
private final class CurrentKeyring: @unchecked Sendable {
  private let queue = DispatchQueue(label: "keyring")
  private var keyring: Keyring?

  var value: Keyring? { queue.sync { keyring } }

  /// Reads it; if that fails, the one that was read before stays.
  func read(by open: () throws -> Keyring) throws -> Keyring {
    try queue.sync {
      let new = try open()
      keyring = new
      return new
    }
  }
}
