import Foundation
import Testing

@testable import OTPTool

@Suite struct StoreFilesTests {
  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `only the owner can read the files, or the folder of the standard store`() throws {
    try withFolder([:]) { folder in
      let environment = ["XDG_DATA_HOME": folder + "/data"]
      let run = try otp("store create", environment: environment)
      #expect(run.status == 0)
      #expect(try mode(folder + "/data/otp") == 0o700)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/data/otp") {
        #expect(try mode("\(folder)/data/otp/\(name)") == 0o600)
      }
      #expect(try otp("accounts", environment: environment).status == 0)
    }
  }

  @Test(arguments: [
    ("/a/b", "/a/b/otp/factors.sqlite"), ("relative", nil), ("", nil), (nil, nil),
  ])
  func `the standard path is used if none is given`(dataHome: String?, path: String?) {
    let environment = dataHome.map { ["XDG_DATA_HOME": $0] } ?? [:]
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    #expect(
      StoreLocation.standardPath(environment: environment) == path ?? "\(home)/.local/share/otp/factors.sqlite")
  }

  @Test(arguments: [0o644, 0o640, 0o620, 0o604])
  func `a keyring that others can read is refused`(mode: Int) throws {
    try withStore { store in
      let factor = try store.enroll()
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store.keyring)
      let run = try store.otp("authenticate", "alice", factor.code(after: 1))
      #expect(run.failed(65) && run.error.contains("keyring.json"))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store.keyring)
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test(arguments: Store.commands) func `only 'store create' creates a store`(command: [String]) throws {
    try withStore(isCreated: false) { store in
      let run = try Tool.run(command + ["--store", store.database], input: "1\n")
      let help = "name it with --store or OTP_STORE, or create it, with its keyring, by 'otp store create'"
      let error = "otp: the store \(store.database) does not exist; \(help)\n"
      #expect(run.failed(65) && run.error == error)
      let files = try FileManager.default.contentsOfDirectory(atPath: store.folder)
      #expect(files.isEmpty)
    }
  }

  @Test func `OTP_STORE names the store, unless --store does`() throws {
    try withStore { store in
      _ = try store.enroll()
      let environment = ["OTP_STORE": store.database]
      #expect(try otp("factors alice", environment: environment).lines.count == 1)
      #expect(try otp("explain alice x", environment: environment).status == 1)
      let other = try otp("factors alice --store \(store.folder)/none/x", environment: environment)
      #expect(other.failed(65) && other.error.contains("/none/x does not exist"))
      let home = ["OTP_STORE": "", "XDG_DATA_HOME": store.folder]
      #expect(try otp("factors alice", environment: home).error.contains("\(store.folder)/otp/factors.sqlite"))
      #expect(try otp("factors alice", environment: ["OTP_STORE": "otpauth://totp/x"]).failed(64))
      let run = try sh("OTP_STORE=$ff \"$tool\" factors alice", in: store.folder)
      #expect(run.failed(65) && run.error.hasPrefix("otp: OTP_STORE: "))
    }
  }

  @Test func `a file that is not a store is refused, and left as it is`() throws {
    try withFolder(["notes.txt": "not a database, whatever its name says", "keyring.json": "{}"]) { folder in
      let run = try otp("enroll alice --store \(folder)/notes.txt", input: "1\n")
      #expect(run.failed(65))
      let missing = try otp("enroll alice --store \(folder)/missing/x", input: "1\n")
      #expect(missing.failed(65) && missing.error.contains("\(folder)/missing/x does not exist"))
      // It could be a secret in base64.
      #expect(try !otp("enroll alice --store /missing/x", input: "1\n").error.contains("missing/x"))
      #expect(try otp("enroll alice --store \(folder)", input: "1\n").failed(65))
      #expect(try Tool.run(["factors", "alice", "--store", ""]).failed(64))
      #expect(
        try String(contentsOfFile: folder + "/notes.txt", encoding: .utf8) == "not a database, whatever its name says")
    }
  }

  @Test func `a broken OpenSSL is an error, not the refusal of a code`() throws {
    try withStore { store in
      let factor = try store.enroll()
      try withBrokenOpenSSL { environment in
        let code = try factor.code(after: 1)
        let run = try Tool.run(["authenticate", "alice", code, "--store", store.database], environment: environment)
        #expect(run.failed(70))
      }
    }
  }
}
