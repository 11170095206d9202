public import OTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension OTPAuthURI {
  /// Reads a key URI from a `URL`. See `init(_:options:)` in `OTP`.
  public init(_ url: URL, options: ParsingOptions = []) throws(OTPError) {
    try self.init(url.absoluteString, options: options)
  }

  /// The key URI as a `URL`, secret included.
  ///
  /// It is `nil` only if Foundation refuses the text, which it does not do for a URI that this type writes.
  public var url: URL? { URL(string: uriString()) }
}
