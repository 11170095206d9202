internal import COTPSupport

/// Memory of a fixed size that is wiped in full before it is released.
///
/// It holds all secret bytes of the engine and the layers above it: a secret, a decoder's scratch space, a key.
@usableFromInline @safe package struct SecretBytes: @unchecked Sendable {
  // Sendable because its owner fills and shrinks it before sharing it, and nothing writes to it after that.
  private let memory: Memory
  /// The beginning of the memory.
  @usableFromInline let base: UnsafeMutablePointer<UInt8>

  private final class Memory: ManagedBuffer<(capacity: Int, count: Int), UInt8> {
    deinit {
      unsafe withUnsafeMutablePointers { size, bytes in unsafe otp_wipe(bytes, size.pointee.capacity) }
    }
  }

  /// Read without Swift's check for exclusive access: only its owner shrinks it, before sharing it.
  private var size: (capacity: Int, count: Int) {
    unsafe memory.withUnsafeMutablePointerToHeader { size in unsafe size.pointee }
  }

  /// The number of bytes in use.
  @usableFromInline package var byteCount: Int { size.count }

  /// Allocates `capacity` zeroed bytes.
  package init(capacity: Int) {
    let memory = Memory.create(minimumCapacity: capacity) { _ in (capacity, capacity) }
    self.memory = unsafe unsafeDowncast(memory, to: Memory.self)
    unsafe base = memory.withUnsafeMutablePointerToElements { unsafe $0 }
    unsafe base.initialize(repeating: 0, count: capacity)
  }

  /// Copies bytes.
  package init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count)
    unsafe mutableBytes.copy(bytes)
    otp_wipe_registers()
  }

  /// Copies a collection's bytes.
  package init(copying bytes: some Collection<UInt8>) {
    self = withSpan(of: bytes) { bytes in SecretBytes(copying: bytes) }
  }

  /// All of the memory, to be filled.
  @unsafe package var mutableBytes: UnsafeMutableBufferPointer<UInt8> {
    unsafe .init(start: base, count: size.capacity)
  }

  /// Keeps the first `byteCount` bytes in use. The rest stays allocated and is wiped with them.
  package func shrink(to byteCount: Int) {
    precondition(byteCount <= size.capacity)
    memory.header.count = byteCount
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
      unsafe output.copy(Span(_unsafeStart: base, count: byteCount))
      count = byteCount
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

/// Lends a collection's bytes, without a copy if its storage is contiguous.
///
/// Inlinable, as is what only calls it: a generic function in another module looks up its types on every call.
@inlinable package func withSpan<R, E: Error>(
  of bytes: some Collection<UInt8>, _ body: (Span<UInt8>) throws(E) -> R
) throws(E) -> R {
  // The closure returns a `Result`, since the method rethrows without a typed error.
  let direct = bytes.withContiguousStorageIfAvailable { bytes -> Result<R, E> in
    do throws(E) { return .success(try body(unsafe bytes.span)) } catch { return .failure(error) }
  }
  if let direct { return try direct.get() }
  return try withCopy(of: bytes, body)
}

@usableFromInline func withCopy<R, E: Error>(
  of bytes: some Collection<UInt8>, _ body: (Span<UInt8>) throws(E) -> R
) throws(E) -> R {
  let copy = SecretBytes(capacity: bytes.count)
  for (index, byte) in zip(0..<copy.byteCount, bytes) { unsafe copy.mutableBytes[index] = byte }
  otp_wipe_registers()
  return try copy.withBytes(body)
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Copies bytes to the beginning; these may overlap it. (In Embedded Swift 6.3, `update` copies them one by one.)
  package func copy(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { bytes in unsafe UnsafeMutableRawBufferPointer(self).copyMemory(from: bytes) }
  }
}
