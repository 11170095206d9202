import Foundation
import MultiFactor
import MultiFactorPhone

// A phone as a second factor. It takes one page more than an app, since a message is sent before there is a code to
// type.
extension Site {
  static func phonePage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    _ = try await site.user(&visit)
    return .page("phone")
  }

  /// Sends a code to the number to be added.
  static func sendToNewPhone(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    let number = visit["phone"].filter { !" -()".contains($0) }
    do {
      visit.session.verification = try await PhoneAuthProvider.provider(auth: site.auth).verifyPhoneNumber(
        number, clientAddress: visit.address, multiFactorSession: user.multiFactor.session())
    } catch let error as AuthError {
      return try refused(visit, "phone", error, [:])
    }
    visit.isRotated = true
    visit.session.notice = "messageSent"
    return .redirect("/phones/code")
  }

  static func phoneCodePage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    _ = try await site.user(&visit)
    return .page("phoneCode")
  }

  static func addPhone(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    let assertion = PhoneMultiFactorGenerator.assertion(with: site.credential(visit))
    return try await site.enroll(user, by: assertion, &visit, "phoneCode")
  }

  /// Sends a code to the phone chosen on the page for the second factor.
  static func sendMessage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    guard let hint = resolver.hints.first(where: { $0.uid == visit["factor"] }), hint is PhoneMultiFactorInfo else {
      return visit.refused("secondFactor", "choosePhone", secondFactors(resolver, visit))
    }
    do {
      visit.session.verification = try await PhoneAuthProvider.provider(auth: site.auth)
        .verifyPhoneNumber(
          with: hint, clientAddress: visit.address, multiFactorSession: resolver.session)
    } catch let error as AuthError {
      return try refused(visit, "secondFactor", error, secondFactors(resolver, visit))
    }
    visit.isRotated = true
    visit.session.notice = "messageSent"
    return .redirect("/second-factor?factor=\(hint.uid)\(visit["remember"].isEmpty ? "" : "&remember=yes")")
  }

  /// The typed code, as the reply to the last message of this session.
  func credential(_ visit: Visit) -> PhoneAuthCredential {
    PhoneAuthProvider.provider(auth: auth).credential(
      withVerificationID: visit.session.verification ?? "", verificationCode: visit["code"])
  }
}

/// Stands in for a mail server and a provider of text messages: prints what they would send.
struct PrintedMessages: SMSSender {
  func send(_ message: SMSMessage) async throws { Self.write("SMS to \(message.phoneNumber): \(message.text)") }

  static func mail(_ email: String, _ text: String) { write("To \(email): \(text)") }

  /// Prints a line and flushes it, since output to a file or pipe is buffered.
  static func write(_ line: String) {
    print(line)
    fflush(nil)
  }
}
