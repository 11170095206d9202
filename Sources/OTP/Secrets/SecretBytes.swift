internal import COTPSupport

/// Memory of a fixed size that is wiped in full before it is released.
///
/// It holds all secret bytes of the engine and the layers above it: a secret, a decoder's scratch space, a key.
@usableFromInline @safe package final class SecretBytes: @unchecked Sendable {
  // Sendable because its owner fills and shrinks it before sharing it, and nothing writes to it after that.
  @usableFromInline let base: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  // Private, so that the compiler sees all its uses and leaves out the run-time exclusivity checks.
  private var count: Int

  /// The number of bytes in use.
  @usableFromInline package var byteCount: Int { count }

  /// Allocates `capacity` zeroed bytes.
  package init(capacity: Int) {
    self.capacity = capacity
    count = capacity
    unsafe base = .allocate(capacity: capacity)
    unsafe base.initialize(repeating: 0, count: capacity)
  }

  /// Copies bytes.
  package convenience init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count)
    unsafe bytes.withUnsafeBufferPointer { bytes in _ = unsafe mutableBytes.update(fromContentsOf: bytes) }
    otp_wipe_registers()
  }

  /// Copies a collection's bytes.
  package convenience init(copying bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count)
    for (index, byte) in zip(0..<byteCount, bytes) { unsafe mutableBytes[index] = byte }
    otp_wipe_registers()
  }

  deinit {
    unsafe otp_wipe(base, capacity)
    unsafe base.deallocate()
  }

  /// All of the memory, to be filled.
  @unsafe package var mutableBytes: UnsafeMutableBufferPointer<UInt8> { unsafe .init(start: base, count: capacity) }

  /// Keeps the first `byteCount` bytes in use. The rest stays allocated and is wiped with them.
  package func shrink(to byteCount: Int) {
    precondition(byteCount <= capacity)
    count = byteCount
  }

  /// Lends the bytes in use. Inlinable, as is the type, since an unspecialized function looks up its types on every
  /// call.
  @inlinable package func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    // Using the pointer does not keep this object alive.
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(Span(_unsafeStart: base, count: byteCount))
  }

  /// The bytes in use, in memory that is not wiped, for a caller that asked for them.
  package func copiedBytes() -> [UInt8] {
    defer { otp_wipe_registers() }
    // All arrays of capacity 0 share one global object, and the initializer below would write a count to it.
    if byteCount == 0 { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      count = unsafe output.update(fromContentsOf: UnsafeBufferPointer(start: base, count: byteCount))
    }
  }

  /// Whether two hold the same bytes.
  ///
  /// Timing: depends only on the two sizes.
  package static func equal(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return unsafe otp_equal(left.base, right.base, left.byteCount) == 1
  }
}
