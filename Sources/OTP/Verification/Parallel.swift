internal import COTPSupport

/// Calls `body` with each part of `0..<count`, on as many threads, and returns when all are done.
///
/// - Parameter threads: 1...256. With 1, everything happens on the caller's.
/// - Returns: Whether every part returned true.
/// - Throws: `OTPError` with code `invalidThreadCount`, before any work.
func inParallel(
  count: Int, threads: Int, _ body: (_ part: Range<Int>) -> Bool
) throws(OTPError) -> Bool {
  guard (1...Int(OTP_MAX_PARTS)).contains(threads) else { throw OTPError(.invalidThreadCount) }
  let parts = max(1, min(threads, count))
  if parts == 1 { return body(0..<count) }
  return withoutActuallyEscaping(body) { body in
    unsafe withUnsafePointer(to: Split(count: count, parts: parts, body: body)) { split in
      let context = unsafe UnsafeMutableRawPointer(mutating: split)
      return unsafe otp_in_parallel(
        parts,
        { context, part in
          guard let split = unsafe context?.assumingMemoryBound(to: Split.self) else { return 0 }
          let work = unsafe split.pointee
          return work.body(work.range(of: part)) ? 1 : 0
        }, context) == 1
    }
  }
}

/// Work that is split into parts that differ by at most one in size.
private struct Split {
  let count: Int
  let parts: Int
  let body: (Range<Int>) -> Bool

  func range(of part: Int) -> Range<Int> { start(of: part)..<start(of: part + 1) }

  // Never inlined, so that a look at the machine code can tell this division, of public numbers, from one of a code.
  @inline(never) private func start(of part: Int) -> Int {
    let (size, larger) = count.quotientAndRemainder(dividingBy: parts)
    return part * size + min(part, larger)
  }
}
