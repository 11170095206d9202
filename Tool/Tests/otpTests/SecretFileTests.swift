import Foundation
import Testing

@Suite struct SecretFileTests {
  @Test(arguments: ["", "\n", "\r\n", "\n\n"])
  func `a secret file may end with line breaks`(ending: String) throws {
    try withFile(Seed.sha1 + ending) { path in
      let run = try otp("generate --at 59 --secret-file \(path)")
      #expect(run.output == "287082\n")
    }
  }

  @Test(arguments: [Seed.hotpURI, "OTPAUTH" + Seed.hotpURI.dropFirst(7), Seed.hotpURI + "\n"])
  func `a secret file may have a key URI`(content: String) throws {
    try withFile(content) { path in
      let run = try otp("generate --secret-file \(path)")
      #expect(run.output == "969429\n")
    }
  }

  @Test func `a secret is read from standard input`() throws {
    #expect(try otp("generate --at 59 --secret-file -", input: Seed.sha1 + "\n").output == "287082\n")
    #expect(try otp("generate --secret-file=-", input: Seed.hotpURI).output == "969429\n")
  }

  @Test(arguments: [
    "/dev/zero", "/dev/urandom", "/dev/null", "/", "/nonexistent/file", "/dev/zero/x", "", ".", "e", "n/", "dangling",
    "loop", "text/", String(repeating: "x", count: 300), String(repeating: "x/", count: 3000),
  ])
  func `a path that cannot be read is an error`(path: String) throws {
    try withFolder(["text": Seed.sha1]) { folder in
      _ = try sh("mkdir e n; ln -s nowhere dangling; ln -s loop loop", in: folder)
      let run = try Tool.run(["generate", "--secret-file", path], in: folder)
      #expect(run.failed(65) && run.error.contains("--secret-file"))
    }
  }

  @Test(arguments: [
    "", "\n", "GEZDGNB1", "GEZD\nGNBV", "GEZD\u{0}GNBV", "\u{FEFF}GEZDGNBV", "otpauth:", "http://example.com",
  ])
  func `a file with anything else is refused`(content: String) throws {
    let run = try otp("generate --secret-file -", input: content)
    #expect(run.failed(65) && run.error.contains("--secret-file"))
  }

  @Test func `4096 bytes are accepted, and no more`() throws {
    #expect(try otp("generate --at 0 --secret-file -", input: String(repeating: "A", count: 4096)).status == 0)
    let run = try otp("generate --at 0 --secret-file -", input: String(repeating: "A", count: 4097))
    #expect(run.failed(65) && run.error.contains("4096 bytes"))
  }
}
