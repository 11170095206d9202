/// Runs a target on an input, for the driver in C. A broken rule ends the process, so that libFuzzer notices it.
@_cdecl("otp_fuzz")
public func fuzz(_ name: UnsafePointer<CChar>?, _ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  guard let name = unsafe name, let target = FuzzTarget(rawValue: unsafe String(cString: name)) else {
    fatalError("OTP_FUZZ_TARGET names no target")
  }
  do throws(Violation) {
    // The original bytes, not a copy, since Address Sanitizer knows where they end.
    let input = unsafe UnsafeBufferPointer(start: bytes, count: count)
    try unsafe target.run(input.span)
  } catch {
    fatalError("\(target.rawValue): \(error.rule)")
  }
}
