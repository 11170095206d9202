#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Changes what this process runs on. For exit tests alone, whose process ends with them.
enum Surroundings {
  /// Sets `OTP_BACKEND`.
  static func requestBackend(_ name: String) { unsafe setenv("OTP_BACKEND", name, 1) }

  /// Makes every later fetch of an algorithm fail, as on a host whose configuration offers none. What was fetched
  /// before goes on working. Returns false where libcrypto did not take it.
  static func offerNothing() -> Bool {
    typealias SetDefaultProperties = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> CInt
    guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "EVP_set_default_properties") else { return false }
    let setDefaultProperties = unsafe unsafeBitCast(symbol, to: SetDefaultProperties.self)
    return unsafe setDefaultProperties(nil, "provider=nobody") == 1
  }
}
