import Foundation
import OTP
import OTPFoundation
import Testing

@Suite struct URLTests {
  @Test(arguments: ["a", "john@example.com", "a b", "100%", "a+b&c#d?e/f", "🔑", "e\u{301}", "שלום"])
  func `a URI converted to a URL and back is equal`(account: String) throws {
    let uri = try OTPAuthURI(
      .totp(period: 60), secret: OTPSecret(bytes: [1, 2, 3]), issuer: "I " + account, account: account,
      additionalParameters: [.init(name: account, value: account)])
    let url = try #require(uri.url)
    #expect(url.absoluteString == uri.uriString())
    #expect(try OTPAuthURI(url) == uri)
  }

  @Test func `a URL that is not a key URI is a typed error`() throws {
    let url = try #require(URL(string: "https://example.com/?secret=MZXW6"))
    #expect(failure { () throws(OTPError) in try OTPAuthURI(url) }?.code == .invalidScheme)
  }

  @Test func `reading a URL accepts the same options as reading text`() throws {
    let url = try #require(URL(string: "otpauth://hotp/a?secret=MZXW6&issuer=A+B"))
    let uri = try OTPAuthURI(url, options: [.plusIsSpace, .missingCounterIsZero])
    #expect(uri.kind == .hotp(counter: 0))
    #expect(uri.issuer == "A B")
  }
}
