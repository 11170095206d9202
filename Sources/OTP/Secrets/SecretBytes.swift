internal import COTPSupport

/// Memory of a fixed size that is wiped over its whole size before it is released.
///
/// The one home of secret bytes in the engine and the layers on it: a secret, the scratch space of a decoder, a key.
@usableFromInline @safe package final class SecretBytes: @unchecked Sendable {
  // Sendable because nothing writes after `init` or `shrink`, which their single owner calls before it shares.
  @usableFromInline let base: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  // Private, so that the compiler sees all its uses, and checks none of them for exclusivity when the program runs.
  private var count: Int

  /// The number of bytes in use.
  @usableFromInline package var byteCount: Int { count }

  /// Takes `capacity` zeroed bytes.
  package init(capacity: Int) {
    self.capacity = capacity
    count = capacity
    unsafe base = .allocate(capacity: capacity)
    unsafe base.initialize(repeating: 0, count: capacity)
  }

  /// Copies bytes in.
  package convenience init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count)
    unsafe bytes.withUnsafeBufferPointer { bytes in _ = unsafe mutableBytes.update(fromContentsOf: bytes) }
    otp_wipe_registers()
  }

  /// Copies a collection's bytes in.
  package convenience init(copying bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count)
    for (index, byte) in zip(0..<byteCount, bytes) { unsafe mutableBytes[index] = byte }
    otp_wipe_registers()
  }

  deinit {
    unsafe otp_wipe(base, capacity)
    unsafe base.deallocate()
  }

  /// All of the memory, for whoever fills it.
  @unsafe package var mutableBytes: UnsafeMutableBufferPointer<UInt8> { unsafe .init(start: base, count: capacity) }

  /// Keeps the first `byteCount` bytes in use; the rest stays and is wiped with them.
  package func shrink(to byteCount: Int) {
    precondition(byteCount <= capacity)
    count = byteCount
  }

  /// Lends the bytes in use. Inlinable, as is the type: an unspecialised function looks its types up each time.
  @inlinable package func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    // A pointer in a class keeps nothing alive by itself.
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(Span(_unsafeStart: base, count: byteCount))
  }

  /// The bytes in use, in memory that is not wiped: for a caller who asked for them.
  package func copiedBytes() -> [UInt8] {
    defer { otp_wipe_registers() }
    // An array of capacity 0 is the one empty array of the process, and this initialiser would write its count to it.
    if byteCount == 0 { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      count = unsafe output.update(fromContentsOf: UnsafeBufferPointer(start: base, count: byteCount))
    }
  }

  /// Whether two hold the same bytes.
  /// Timing: depends on the two sizes alone.
  package static func equal(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return unsafe otp_equal(left.base, right.base, left.byteCount) == 1
  }
}
