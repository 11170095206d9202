import OTP

// Generates and verifies RFC 6238's codes in a program without the Swift runtime. Bytes are compared, not strings,
// whose comparison would need Unicode's tables.

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
    guard try totp.verify(code.description, at: time + 30).isAccepted else { return false }
    guard try !totp.verify(code.description, at: time + 90).isAccepted else { return false }
  }
  return true
}

func checkKeyURI() throws(OTPError) -> Bool {
  let text = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"
  let uri = try OTPAuthURI(text)
  return try isText(TOTP(uri).code(at: 59).description, "287082") && uri.uriString().utf8.elementsEqual(text.utf8)
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
  return passed + 1
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
