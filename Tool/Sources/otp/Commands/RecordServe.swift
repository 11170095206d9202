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
    // Before the keyring is read, so that a signal neither ends the service nor is missed.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGHUP)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGHUP, SIG_DFL)  // `nohup` ignores it, and systems other than Linux then discard even a blocked one.
    let file = keyring.file
    let keys = Guarded(try Self.open(file))
    let reader = Background { [signals] in
      var (signals, signal) = (signals, Int32(0))
      while unsafe sigwait(&signals, &signal) == 0 {
        do throws(ToolError) {
          let new = try Self.open(file)
          keys.use { $0 = new }
          StandardError.write(line: "the keyring was read again")
        } catch {
          StandardError.write(warning: error.message)
        }
      }
    }
    guard reader.start() else { throw ToolError.software("no thread can be started") }
    let answer: Answer = { line, isCut in
      unsafe RecordService(keyring: keys.use { $0 }, now: currentTime()).answer(to: line, isCut: isCut)
    }
    if let socket = try socket.map(UnixSocket.init) ?? UnixSocket.given() { unsafe try socket.serve(answer) }
    var stream = LineStream(input: STDIN_FILENO, output: STDOUT_FILENO)
    guard unsafe stream.serve(answer) else { throw ToolError.outputFailed }
    guard !stream.isInputBroken else { throw ToolError.data("standard input cannot be read") }
  }

  private static func open(_ file: PathArgument) throws(ToolError) -> Keyring {
    try file.keyring { (path) throws(KeyringError) in try Keyring(file: path) }
  }
}
