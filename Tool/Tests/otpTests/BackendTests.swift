import OTP
import Testing

@Suite struct BackendTests {
  @Test(arguments: HMACBackend.allCases.filter(\.isAvailable))
  func `the backend named by OTP_BACKEND is used`(backend: HMACBackend) throws {
    let environment = ["OTP_BACKEND": backend.name]
    #expect(try otp("generate --secret \(Seed.sha1) --at 59", environment: environment).output == "287082\n")
    let info = try otp("info --json", environment: environment)
    #expect(info.json["backend"] as? String == backend.name && info.json["backendChosenBy"] as? String == "OTP_BACKEND")
  }

  @Test func `info prints the backend, the versions and the known-answer tests`() throws {
    let run = try otp("info")
    #expect(run.error.isEmpty && run.status == 0)
    let names = run.lines.map { String($0.prefix { $0 != "=" }) }
    let backends = HMACBackend.allCases.map { "knownAnswer.\($0.name)" }
    #expect(names == ["version", "openssl", "cpuFeatures", "lanes", "backend", "backendChosenBy"] + backends)
    #expect(run.lines.contains("version=\(OTPEngine.version)") && run.lines.contains("knownAnswer.evp=passed"))
    #expect(run.lines.contains("openssl=\(OTPEngine.openSSLVersion)"))
    #expect(run.lines.contains("cpuFeatures=\(OTPEngine.cpuFeatures)"))
    #expect(run.lines.contains("backend=\(try HMACBackend.standard.name)"))
  }

  @Test func `info --json prints the same as JSON`() throws {
    let json = try otp("info --json").json
    #expect(
      Set(json.allKeys as? [String] ?? [])
        == ["backend", "backendChosenBy", "cpuFeatures", "knownAnswers", "lanes", "openssl", "version"])
    #expect((json["knownAnswers"] as? [String: String])?["evp"] == "passed")
  }

  @Test(arguments: ["nonsense", "evp ", "lanes2", "\u{1B}[2J"])
  func `an invalid OTP_BACKEND is shown as such`(name: String) throws {
    for options in ["", "--json"] {
      let run = try otp("info \(options)", environment: ["OTP_BACKEND": name])
      #expect(run.status == 64 && run.output.contains("OTP_BACKEND (invalid)") && run.output.contains("none"))
      #expect(run.error.hasPrefix("otp: OTP_BACKEND ") && run.error.count(where: { $0.isNewline }) == 1)
      #expect(!run.error.contains(name) && !run.output.contains("\u{1B}"))
    }
    #expect(try otp("--help", environment: ["OTP_BACKEND": name]).status == 0)
  }
}
