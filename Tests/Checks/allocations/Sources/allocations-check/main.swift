import CAllocations
import OTP

#if canImport(Glibc)
import Glibc
#endif

// Counts the allocations of a verification, which must be none with every backend but `evp`: cached, cold, in batches.

var passed = 0
var failed = 0

@MainActor func expect(_ name: String, _ isRight: (UInt) -> Bool, _ work: () throws -> Void) rethrows {
  // Run once first: what is allocated once per process does not count.
  try work()
  let before = allocation_count()
  try work()
  let taken = allocation_count() - before
  if isRight(taken) {
    passed += 1
  } else {
    failed += 1
    print("FAIL  \(name): \(taken) allocations")
  }
}

let secret = Array("12345678901234567890".utf8)
let code = try SubmittedCode("000000")
let digits = Array("000000".utf8)

for backend in HMACBackend.allCases where backend.isAvailable && backend != .evp {
  for algorithm in HashAlgorithm.allCases {
    let name = "\(backend.name) \(algorithm.name)"
    let totp = try TOTP(secret: OTPSecret(bytes: secret), algorithm: algorithm, backend: backend)
    let hotp = HOTP(key: totp.key)
    for side in [0, 1, 5, 10] {
      let window = try VerificationWindow.adjacent(side)
      try expect("\(name): verify ±\(side)", { $0 == 0 }) {
        for _ in 0..<100 { _ = try totp.verify(code, at: 9_000_000, window: window, after: 3) }
      }
      try expect("\(name): verify ±\(side), cold", { $0 == 0 }) {
        for _ in 0..<100 {
          let typed = try SubmittedCode(utf8: digits.span)
          _ = try TOTP.verify(
            typed, secret: secret.span, algorithm: algorithm, timeStep: totp.timeStep, at: 9_000_000, window: window,
            after: nil, backend: backend)
        }
      }
    }
    try expect("\(name): look-ahead", { $0 == 0 }) { _ = try hotp.verify(code, counter: 5, lookAhead: 1000) }
    try expect("\(name): resynchronization", { $0 == 0 }) {
      _ = try hotp.resynchronize(code, code, code, counter: 5, lookAhead: 1000)
    }
    try expect("\(name): one code", { $0 == 0 }) { _ = try hotp.code(counter: 7) }

    let output = UnsafeMutableBufferPointer<OTPCode>.allocate(capacity: 5000)
    try expect("\(name): bulk codes", { $0 == 0 }) {
      var span = unsafe OutputSpan(buffer: output, initializedCount: 0)
      try hotp.codes(counters: 1...5000, into: &span)
      _ = unsafe span.finalize(for: output)
    }
    unsafe output.deallocate()

    let requests = [VerificationBatch.Request](
      repeating: .init(code, totp: totp, at: 9_000_000, after: nil), count: 3000)
    let outcomes = UnsafeMutableBufferPointer<VerificationBatch.Outcome>.allocate(capacity: requests.count)
    try expect("\(name): a batch of \(requests.count)", { $0 == 0 }) {
      var span = unsafe OutputSpan(buffer: outcomes, initializedCount: 0)
      try VerificationBatch.verify(requests.span, into: &span)
      _ = unsafe span.finalize(for: outcomes)
    }
    unsafe outcomes.deallocate()
  }
}

// The control: the counter must be able to count.
expect("control: an array", { $0 > 0 }) { withExtendedLifetime([Int](repeating: 1, count: Int(getpid()))) {} }
print("allocations: \(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
