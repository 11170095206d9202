import FactorRecord
import Keyring
import OTP

// Generates and verifies RFC 6238's codes in a program without the Swift runtime. It compares bytes, since comparing
// strings would need Unicode's tables.

struct Row {
  let time: Int64
  let codes: (sha1: StaticString, sha256: StaticString, sha512: StaticString)
}

let rows = [
  Row(time: 59, codes: ("94287082", "46119246", "90693936")),
  Row(time: 1_111_111_109, codes: ("07081804", "68084774", "25091201")),
  Row(time: 1_111_111_111, codes: ("14050471", "67062674", "99943326")),
  Row(time: 1_234_567_890, codes: ("89005924", "91819424", "93441116")),
  Row(time: 2_000_000_000, codes: ("69279037", "90698825", "38618901")),
  Row(time: 20_000_000_000, codes: ("65353130", "77737706", "47863826")),
]

func isText(_ text: String, _ expected: StaticString) -> Bool {
  let expected = unsafe UnsafeBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount)
  return unsafe text.utf8.elementsEqual(expected)
}

func seed(_ byteCount: Int) -> [UInt8] { (0..<byteCount).map { 0x30 + UInt8(($0 + 1) % 10) } }

func check(_ algorithm: HashAlgorithm, _ time: Int64, _ expected: StaticString) throws(OTPError) -> Bool {
  for backend in HMACBackend.allCases where backend.isAvailable {
    let totp = try TOTP(
      secret: OTPSecret(bytes: seed(algorithm.tagByteCount)), algorithm: algorithm, digits: .eight, backend: backend)
    let code = try totp.code(at: time)
    guard isText(code.description, expected) else { return false }
    guard try totp.verify(code.description, at: time + 30, after: nil).isAccepted else { return false }
    guard try !totp.verify(code.description, at: time + 90, after: nil).isAccepted else { return false }
  }
  return true
}

func checkKeyURI() throws(OTPError) -> Bool {
  let text = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"
  let uri = try OTPAuthURI(text)
  return try isText(TOTP(uri).code(at: 59).description, "287082") && uri.uriString().utf8.elementsEqual(text.utf8)
}

/// Uses the rest of the public API, since generic code is compiled only where it is used.
func checkOtherInterfaces() throws(OTPError) -> Bool {
  let secret = try OTPSecret(base32: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq")
  guard secret == (try OTPSecret(base32: secret.base32String(padding: true), strict: true)), !secret.isWeak else {
    return false
  }
  guard try isText(Base32.encode(Base32.decode("MZXW6")), "MZXW6") else { return false }
  guard try HashAlgorithm(name: "HmacSHA512") == .sha512 else { return false }
  guard try OTPSecret.random(for: .sha256).byteCount == 32 else { return false }

  let hotp = try HOTP(secret: secret, algorithm: .sha1)
  guard try hotp.verify("969429", counter: 0, lookAhead: 5).nextCounter == 4 else { return false }
  guard try hotp.verify(SubmittedCode(typed: "９６９-٤٢٩\n"), counter: 3).isAccepted else { return false }
  guard try OTPSecret(bytes: secret.unwipedBytes()) == secret else { return false }
  let codes = try (SubmittedCode("969429"), SubmittedCode("338314"), SubmittedCode("254676"))
  guard try hotp.resynchronize(codes.0, codes.1, codes.2, counter: 0).nextCounter == 6 else { return false }
  guard try hotp.code(counter: 3) == hotp.code(counter: 3) else { return false }

  let message: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
  let tag = try hotp.key.tag(for: message.span)
  guard DynamicTruncation.truncate(tag.span) == 1_094_287_082 else { return false }
  do throws(OTPError) {
    _ = try OTPSecret(base32: "GEZDGNB!")
    return false
  } catch {
    return isText(error.description, "not a base32 character at byte 7") && OTPEngine.version.utf8.count > 4
  }
}

/// A factor's life as a record: confirmed by a code, then used once, and opened only for its subject.
func checkRecord() throws(OTPError) -> Bool {
  do throws(FactorRecordError) {
    guard let keyring = try? Keyring() else { return false }
    let enrolled = try FactorRecord.totp(secret: try? OTPSecret(bytes: seed(20)), at: 0)
    var record = try FactorRecord(sealed: enrolled.sealed(by: keyring, for: "user 42"), by: keyring, for: "user 42")
    guard case .enrolled = try record.confirm("755224", at: 0) else { return false }
    guard try record.verify("287082", at: 59).isAccepted else { return false }
    let sealed = try record.sealed(by: keyring, for: "user 42")
    record = try FactorRecord(sealed: sealed, by: keyring, for: "user 42")
    guard try record.verify("287082", at: 59) == .rejected(.replayed) else { return false }
    do throws(FactorRecordError) {
      record = try FactorRecord(sealed: sealed, by: keyring, for: "user 43")
      return false
    } catch {
      return error.kind == .anotherSubject && isText(error.description, "factor record: anotherSubject")
    }
  } catch {
    print("embedded: \(error.description)")
    return false
  }
}

func run() throws(OTPError) -> Int {
  var passed = 0
  for row in rows {
    guard try check(.sha1, row.time, row.codes.sha1) else { return -1 }
    guard try check(.sha256, row.time, row.codes.sha256) else { return -1 }
    guard try check(.sha512, row.time, row.codes.sha512) else { return -1 }
    passed += 3
  }
  guard try checkKeyURI() else { return -1 }
  guard try checkOtherInterfaces() else { return -1 }
  guard try checkRecord() else { return -1 }
  return passed + 3
}

@main struct Main {
  static func main() {
    do throws(OTPError) {
      let passed = try run()
      print(passed < 0 ? "embedded: a code is wrong" : "embedded: \(passed) passed")
    } catch {
      print("embedded: \(error.description)")
    }
  }
}
