import CPeers
import OTP

/// Many users' codes with libotp. As for the engine, the requests are made again each time.
enum LibOTPBatch {
  static func subject(_ row: String, _ secrets: [[UInt8]]) throws -> Subject {
    let people = try secrets.map { try LibOTP($0) }
    let keys = unsafe people.map { unsafe $0.key }
    let functions = unsafe people[0].functions
    let window = UnsafeMutablePointer<otp_window>.allocate(capacity: 1)
    unsafe window.initialize(to: .adjacent(1))
    let results = UnsafeMutableBufferPointer<otp_match>.allocate(capacity: people.count)
    unsafe results.initialize(repeating: .empty)

    try BatchCases.check(row, "libotp", secrets, .sha1) { codes, step in
      let (start, texts) = (Fixtures.time(ofStep: step), codes.map { LibOTP.Text($0) })
      let requests = unsafe keys.indices.map { person in
        unsafe otp_request(keys[person], texts[person], at: start + Int64(person % 97), window)
      }
      let status = withExtendedLifetime(texts) {
        unsafe functions.pointee.verify_batch(requests, requests.count, results.baseAddress)
      }
      guard status == OTP_OK else { return -1 }
      return unsafe results.count { $0.status == OTP_OK && $0.result == OTP_ACCEPTED }
    }

    let guess = LibOTP.Text(Fixtures.guess)
    return Subject("libotp", operationsPerCall: people.count) { input in
      let start = Fixtures.time(ofStep: Fixtures.firstStep &+ UInt64(input))
      var made: [otp_request] = unsafe []
      unsafe made.reserveCapacity(people.count)
      unsafe keys.withUnsafeBufferPointer { keys in
        for person in keys.indices {
          unsafe made.append(otp_request(keys[person], guess, at: start + Int64(person % 97), window))
        }
      }
      consume(unsafe functions.pointee.verify_batch(made, made.count, results.baseAddress) == OTP_OK)
    }
  }
}

extension otp_request {
  /// A TOTP request with the standard parameters.
  init(
    _ key: OpaquePointer, _ code: LibOTP.Text, at time: Int64, _ window: UnsafeMutablePointer<otp_window>
  ) {
    unsafe self.init(
      size: MemoryLayout<otp_request>.size, type: OTP_TOTP, key: key, code: code.start, code_len: code.count,
      unix_time: time, params: nil, window: window, counter: 0, digits: 0, look_ahead: 0)
  }
}
