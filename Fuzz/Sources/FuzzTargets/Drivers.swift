// The functions that the C drivers call. A broken rule ends the process, so that libFuzzer notices it.

/// Runs the base32 target.
@_cdecl("otp_fuzz_base32")
public func fuzzBase32(_ bytes: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.base32, bytes, count) }

/// Runs the URI target.
@_cdecl("otp_fuzz_uri")
public func fuzzURI(_ bytes: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.uri, bytes, count) }

/// Runs the submitted code target.
@_cdecl("otp_fuzz_submitted_code")
public func fuzzSubmittedCode(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  unsafe drive(.submittedCode, bytes, count)
}

/// Runs the vector file target.
@_cdecl("otp_fuzz_vector_file")
public func fuzzVectorFile(_ bytes: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.vectorFile, bytes, count) }

/// Runs the configuration target.
@_cdecl("otp_fuzz_configuration")
public func fuzzConfiguration(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  unsafe drive(.configuration, bytes, count)
}

/// Runs the token target.
@_cdecl("otp_fuzz_token")
public func fuzzToken(_ bytes: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.token, bytes, count) }

/// Runs the seeds target.
@_cdecl("otp_fuzz_seeds")
public func fuzzSeeds(_ bytes: UnsafePointer<UInt8>?, _ count: Int) { unsafe drive(.seeds, bytes, count) }

private func drive(_ target: FuzzTarget, _ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  do throws(Violation) {
    // The original bytes, not a copy, since Address Sanitizer knows where they end.
    let input = unsafe UnsafeBufferPointer(start: bytes, count: count)
    try unsafe target.run(input.span)
  } catch {
    fatalError("\(target.rawValue): \(error.rule)")
  }
}
