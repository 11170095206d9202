#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Changes this process's environment and libcrypto. Only for exit tests, whose process ends with them.
enum ProcessEnvironment {
  /// Sets `OTP_BACKEND`.
  static func requestBackend(_ name: String) { unsafe setenv("OTP_BACKEND", name, 1) }

  /// Makes every later fetch of an algorithm fail, as on a host whose configuration offers none. Algorithms fetched
  /// earlier keep working. Returns false if libcrypto refuses.
  static func offerNothing() -> Bool {
    typealias SetDefaultProperties = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> CInt
    guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "EVP_set_default_properties") else { return false }
    let setDefaultProperties = unsafe unsafeBitCast(symbol, to: SetDefaultProperties.self)
    return unsafe setDefaultProperties(nil, "provider=nobody") == 1
  }

  /// Which of libcrypto's next allocations fails, counted from 1; 0 for none.
  nonisolated(unsafe) private static var failingAllocation = 0
  nonisolated(unsafe) private static var allocations = 0

  /// Makes libcrypto allocate with functions that can fail. Returns false if libcrypto refuses them, as it does once it
  /// has allocated.
  static func takeOverAllocations() -> Bool {
    typealias Allocate = @convention(c) (Int, UnsafePointer<CChar>?, CInt) -> UnsafeMutableRawPointer?
    typealias Reallocate =
      @convention(c) (UnsafeMutableRawPointer?, Int, UnsafePointer<CChar>?, CInt) -> UnsafeMutableRawPointer?
    typealias Release = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, CInt) -> Void
    typealias SetFunctions = @convention(c) (Allocate, Reallocate, Release) -> CInt
    guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "CRYPTO_set_mem_functions") else { return false }
    let setFunctions = unsafe unsafeBitCast(symbol, to: SetFunctions.self)
    let status = unsafe setFunctions(
      { size, _, _ in ProcessEnvironment.nextAllocationFails() ? nil : unsafe malloc(size) },
      { block, size, _, _ in ProcessEnvironment.nextAllocationFails() ? nil : unsafe realloc(block, size) },
      { block, _, _ in unsafe free(block) })
    return status == 1
  }

  private static func nextAllocationFails() -> Bool {
    unsafe allocations += 1
    return unsafe allocations == failingAllocation
  }

  /// Calls `body` repeatedly, each time with another of its libcrypto allocations failing; `check` gets each result.
  /// Returns the number of allocations.
  static func failEachAllocation<R>(in body: () -> R, then check: (R) -> Void) -> Int {
    var number = 0
    while true {
      number += 1
      unsafe (allocations, failingAllocation) = (0, number)
      let result = body()
      let failed = unsafe allocations >= number
      unsafe failingAllocation = 0
      guard failed else { return number - 1 }
      check(result)
    }
  }
}
