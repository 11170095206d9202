/// The system's log, with the facility `authpriv`, as `sudo` and `su` use it: each change that the tool makes to a
/// store, each attempt, and each explanation, by whom. It never has a secret or a code.
enum SystemLog {
  @Sendable static func record(_ event: AuditEvent) {
    let values: [(String, String?)] = [
      ("reason", event.reason?.rawValue), ("user", event.userID), ("factor", event.factorUID),
      ("type", event.factorID), ("uid", "\(getuid())"),
    ]
    let fields = values.compactMap { name, value in
      value.map { " \(name)=\(DisplayText.escaped($0, reserved: [" "]))" }
    }
    write("otp: \(event.kind.rawValue)\(fields.joined())")
  }

  private static func write(_ line: String) {
    unsafe line.withCString { text in
      unsafe withVaList([text]) { unsafe vsyslog(LOG_AUTHPRIV | LOG_NOTICE, "%s", $0) }
    }
  }
}
