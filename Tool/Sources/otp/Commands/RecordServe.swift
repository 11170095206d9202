/// `otp record serve`
struct RecordServe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Answer requests about records, for programs in any language.",
    discussion: """
      Reads requests from standard input, each a line of JSON, and answers each by a line. Tool/record-service in the \
      sources describes them. Nothing is kept: a request has the record, and the answer the one to put in its place. \
      With --socket, or a socket from systemd, it serves up to 256 clients at once until it is ended. SIGHUP makes it read \
      the keyring again; if that fails, it keeps the one that it has. Standard error says when it serves a socket, reads the \
      keyring again, and refuses a client.

      EXAMPLE: otp record serve /etc/example/keyring --socket /run/example/otp
      """)

  @OptionGroup var keyring: KeyringFile

  @Option(help: "Listen on a Unix socket, which is created with mode 0600.", completion: .file())
  var socket: PathArgument?

  func run() throws {
    // Before the keyring is read, so that a signal does not end the service. Dispatch reads signals that are ignored.
    signal(SIGHUP, SIG_IGN)
    let service = RecordService(keyring: try Self.open(keyring.file))
    let signals = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    signals.setEventHandler { [file = keyring.file] in
      do throws(ToolError) {
        service.use(try Self.open(file))
        StandardError.write(line: "the keyring was read again")
      } catch {
        StandardError.write(warning: error.message)
      }
    }
    // One that came before it was waited for.
    signals.setRegistrationHandler { [file = keyring.file] in
      if let new = try? Self.open(file) { service.use(new) }
    }
    signals.resume()
    defer { signals.cancel() }
    do throws(RecordServiceError) {
      let opened = if let path = socket?.text { try UnixSocket(path: path) } else { try UnixSocket.given() }
      if let opened {
        StandardError.write(line: "serving records on the socket")
        try service.serve(opened) {
          StandardError.write(line: "a client was refused: 256 are served, or no thread can be had")
        }
      }
      try service.serve(input: STDIN_FILENO, output: STDOUT_FILENO)
    } catch {
      throw ToolError(error)
    }
  }

  private static func open(_ file: PathArgument) throws(ToolError) -> Keyring {
    try file.keyring { (path) throws(KeyringError) in try Keyring(file: path) }
  }
}

extension ToolError {
  fileprivate init(_ error: RecordServiceError) {
    switch error {
    case .inputFailed: self = .data("standard input cannot be read")
    case .outputFailed: self = .outputFailed
    case .invalidPath: self = .usage("--socket: the path is empty or too long")
    case .socketNotCreated: self = .data("--socket: the socket cannot be created")
    case .socketInUse: self = .data("--socket: another process listens there")
    case .notOneSocket: self = .usage("LISTEN_FDS: one socket is needed")
    default: self = .software("the socket cannot be used")
    }
  }
}
