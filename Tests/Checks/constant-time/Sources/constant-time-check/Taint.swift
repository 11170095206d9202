import CTaint

/// Bytes that memcheck treats as secret.
@safe final class TaintedBytes {
  private let base: UnsafeMutablePointer<UInt8>
  let count: Int

  /// Taints all of the bytes.
  convenience init(_ bytes: some Collection<UInt8>) { self.init(bytes, only: 0, bytes.count) }

  /// Taints `taintedCount` bytes from `start` on.
  init(_ bytes: some Collection<UInt8>, only start: Int, _ taintedCount: Int) {
    count = bytes.count
    unsafe base = .allocate(capacity: bytes.count)
    for (index, byte) in zip(0..<count, bytes) { unsafe base[index] = byte }
    unsafe ct_taint(base + start, taintedCount)
  }

  deinit {
    unsafe ct_untaint(base, count)
    unsafe base.deallocate()
  }

  func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try unsafe body(Span(_unsafeStart: base, count: count))
  }
}

/// Whether memcheck treats any bit of a value as secret.
func isTainted<T>(_ value: T) -> Bool {
  var value = value
  return unsafe withUnsafeBytes(of: &value) { bytes in unsafe ct_is_tainted(bytes.baseAddress, bytes.count) == 1 }
}
