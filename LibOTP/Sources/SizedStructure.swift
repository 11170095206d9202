public import COTP

/// A structure whose first member is its size, by the header that the caller was compiled with.
protocol SizedStructure {
  var size: Int { get set }
}

extension otp_totp_params: SizedStructure {}
extension otp_window: SizedStructure {}
extension otp_match: SizedStructure {}
extension otp_request: SizedStructure {}
extension otp_uri: SizedStructure {}
extension otp_named_key: SizedStructure {}
extension otp_record_policy: SizedStructure {}
extension otp_answer: SizedStructure {}
extension otp_enrollment: SizedStructure {}
extension otp_diagnosis: SizedStructure {}
extension otp_explanation: SizedStructure {}
extension otp_record_details: SizedStructure {}
extension otp_error_info: SizedStructure {}
extension otp_library_info: SizedStructure {}

/// Whether a structure can have this size, in this version or a later one.
@inline(__always)
private func isPossible<T: SizedStructure>(_ stated: Int, for type: T.Type) -> Bool {
  // The upper limit detects sizes that were never set.
  stated >= MemoryLayout<T>.size && stated <= 4096 && stated % MemoryLayout<T>.alignment == 0
}

extension UnsafePointer where Pointee: SizedStructure {
  /// The structure. Members that a later version may have added must be zero, since they would ask for something that
  /// this version does not do.
  ///
  /// - Throws: `OTP_INVALID_ARGUMENT` if its size is impossible or such a member is not zero.
  @inline(__always)
  func checked() throws(CallError) -> Pointee {
    let stated = unsafe pointee.size
    if stated != MemoryLayout<Pointee>.size { try unsafe checkTail(stated) }
    return unsafe pointee
  }

  /// Only the size, which is also the distance to the next structure of an array.
  ///
  /// - Throws: `OTP_INVALID_ARGUMENT` if the size is impossible.
  func checkedSize() throws(CallError) -> Int {
    let stated = unsafe pointee.size
    guard isPossible(stated, for: Pointee.self) else { throw CallError(OTP_INVALID_ARGUMENT) }
    return stated
  }

  private func checkTail(_ stated: Int) throws(CallError) {
    guard isPossible(stated, for: Pointee.self) else { throw CallError(OTP_INVALID_ARGUMENT) }
    let bytes = unsafe UnsafeRawPointer(self)
    for offset in MemoryLayout<Pointee>.size..<stated
    where unsafe bytes.load(fromByteOffset: offset, as: UInt8.self) != 0 {
      throw CallError(OTP_INVALID_ARGUMENT)
    }
  }
}

extension UnsafeMutablePointer where Pointee: SizedStructure {
  /// The size that the caller states for a structure to be written.
  ///
  /// - Throws: `OTP_INVALID_ARGUMENT` if the size is impossible.
  @inline(__always)
  func writableSize() throws(CallError) -> Int {
    let stated = unsafe pointee.size
    guard isPossible(stated, for: Pointee.self) else { throw CallError(OTP_INVALID_ARGUMENT) }
    return stated
  }

  /// Writes the structure over the size that the caller states. Members that this version does not know become zero.
  @inline(__always)
  func write(_ value: Pointee, size: Int) {
    unsafe pointee = value
    unsafe pointee.size = size
    if size > MemoryLayout<Pointee>.size { unsafe clearTail(size) }
  }

  private func clearTail(_ size: Int) {
    let known = MemoryLayout<Pointee>.size
    unsafe (UnsafeMutableRawPointer(self) + known).initializeMemory(as: UInt8.self, repeating: 0, count: size - known)
  }
}
