import Foundation
import Testing

@testable import OTPTool

@Suite struct StoreFilesTests {
  @Test(arguments: [
    (["XDG_DATA_HOME": "/a/b", "HOME": "/c"], "/a/b"),
    (["XDG_DATA_HOME": "relative", "HOME": "/c"], "/c/.local/share"),
    (["XDG_DATA_HOME": ""], nil), (["HOME": "c"], nil), ([:], nil),
  ])
  func `the standard path is used if none is given`(environment: [String: String], data: String?) {
    let data = data ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.local/share"
    #expect(StoreLocation.standardPath(environment: environment) == data + "/otp/factors.sqlite")
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
    }
  }

  @Test func `a path in no folder that exists is not repeated, since it could be a secret in base64`() throws {
    #expect(try !otp("enroll alice --store /missing/x", input: "1\n").error.contains("missing/x"))
    #expect(try Tool.run(["factors", "alice", "--store", ""]).failed(64))
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
