import Foundation
import Testing

/// Arguments, names from the environment and standard input must be UTF-8: what is not is refused, not repaired.
@Suite struct ArgumentBytesTests {
  @Test(arguments: [
    "verify --secret \(Seed.sha1) -- 28\u{E9}$ff", "enroll bob --issuer=$ff --store x", "info --$ff", "$ff", "help $ff",
    "info --json=$ff", "generate --at=5$ff", "factors \u{FFFD}$ff", "factors a --store $ff",
    "generate --secret-file $ff", "vectors d$ff",
  ])
  func `an argument that is not UTF-8 is bad data`(line: String) throws {
    try withFolder([:]) { folder in
      let run = try sh("otp \(line)", in: folder, input: "1\n", environment: ["XDG_DATA_HOME": folder])
      #expect(run.failed(65) && run.error == "otp: an argument is not UTF-8\n")
      #expect(try sh("ls", in: folder).output.isEmpty)
    }
  }

  @Test(arguments: ["XDG_DATA_HOME=\"$PWD/$ff\"", "OTP_STORE=$ff"])
  func `a variable that is not UTF-8 is bad data`(variable: String) throws {
    try withFolder([:]) { folder in
      let run = try sh("export \(variable); otp enroll alice", in: folder, input: "1\n")
      #expect(run.failed(65) && run.error.contains(variable.prefix { $0 != "=" }) && run.error.contains("UTF-8"))
      #expect(try sh("ls", in: folder).output.isEmpty)
    }
  }

  @Test func `standard input must be UTF-8 too`() throws {
    try withStore { store in
      _ = try store.enroll()
      let run = try sh("printf '12\\3773456\\n' | otp authenticate alice --store factors.sqlite", in: store.folder)
      #expect(run.failed(65) && run.error.contains("UTF-8"))
      // It was not counted as an attempt.
      #expect(try store.otp("factors", "alice").output.contains(" failures=0 "))
      #expect(try sh("printf '\\377' | otp generate --secret-file -", in: store.folder).failed(65))
      #expect(try sh("printf '\(Seed.uri)\\377' | otp uri parse -", in: store.folder).failed(65))
    }
  }
}
