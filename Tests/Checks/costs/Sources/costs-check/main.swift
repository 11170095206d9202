import CAllocations
import OTP

#if canImport(Glibc)
import Glibc
#endif

// Without arguments, counts the allocations of verifications, which must be none with every backend but `evp`: cached,
// cold, in batches. Otherwise for instructions: `operations` prints their names, and OPERATION COUNT performs one.

switch CommandLine.arguments.count {
case 2:
  for name in try operations().map(\.name) + ["sign-in"] { print(name) }
  exit(0)
case 3:
  guard let count = Int(CommandLine.arguments[2]) else { exit(64) }
  if CommandLine.arguments[1] == "sign-in" {
    try await signIn(count)
  } else {
    guard let operation = try operations().first(where: { $0.name == CommandLine.arguments[1] }) else { exit(64) }
    for index in 0..<count { try operation.work(index) }
  }
  exit(0)
default: break
}

var passed = 0
var failed = 0

@MainActor func expect(_ name: String, allocates: Bool = false, _ work: () throws -> Void) rethrows {
  // Run once first: what is allocated once per process does not count.
  try work()
  let before = allocation_count()
  try work()
  let taken = allocation_count() - before
  if (taken > 0) == allocates {
    passed += 1
  } else {
    failed += 1
    print("FAIL  \(name): \(taken) allocations")
  }
}

let code = try SubmittedCode("000000")
let digits = Array("000000".utf8)

for backend in HMACBackend.allCases where backend.isAvailable && backend != .evp {
  for algorithm in HashAlgorithm.allCases {
    let name = "\(backend.name) \(algorithm.name)"
    let totp = try TOTP(secret: OTPSecret(bytes: secret), algorithm: algorithm, backend: backend)
    let hotp = HOTP(key: totp.key)
    for side in [0, 1, 5, 10] {
      let window = try VerificationWindow.adjacent(side)
      try expect("\(name): verify ±\(side)") {
        for _ in 0..<100 { _ = try totp.verify(code, at: 9_000_000, window: window, after: 3) }
      }
      try expect("\(name): verify ±\(side), cold") {
        for _ in 0..<100 {
          let typed = try SubmittedCode(utf8: digits.span)
          _ = try TOTP.verify(
            typed, secret: secret.span, algorithm: algorithm, timeStep: totp.timeStep, at: 9_000_000, window: window,
            after: nil, backend: backend)
        }
      }
    }
    try expect("\(name): look-ahead") { _ = try hotp.verify(code, counter: 5, lookAhead: 1000) }
    try expect("\(name): resynchronization") {
      _ = try hotp.resynchronize(code, code, code, counter: 5, lookAhead: 1000)
    }
    try expect("\(name): one code") { _ = try hotp.code(counter: 7) }

    let output = UnsafeMutableBufferPointer<OTPCode>.allocate(capacity: 5000)
    try expect("\(name): bulk codes") {
      var span = unsafe OutputSpan(buffer: output, initializedCount: 0)
      try hotp.codes(counters: 1...5000, into: &span)
      _ = unsafe span.finalize(for: output)
    }
    unsafe output.deallocate()

    let requests = [VerificationBatch.Request](
      repeating: .init(code, totp: totp, at: 9_000_000, after: nil), count: 3000)
    let outcomes = UnsafeMutableBufferPointer<VerificationBatch.Outcome>.allocate(capacity: requests.count)
    try expect("\(name): a batch of \(requests.count)") {
      var span = unsafe OutputSpan(buffer: outcomes, initializedCount: 0)
      try VerificationBatch.verify(requests.span, into: &span)
      _ = unsafe span.finalize(for: outcomes)
    }
    unsafe outcomes.deallocate()
  }
}

expect("control: an array", allocates: true) { withExtendedLifetime([Int](repeating: 1, count: Int(getpid()))) {} }
print("allocations: \(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
