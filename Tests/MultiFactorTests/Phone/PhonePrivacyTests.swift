import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Where a phone number and its code are visible, and where they are not.
@Suite struct PhonePrivacyTests {
  @Test func `Hints show the last four digits; the user and an administrator see the number, and logs never do`()
    async throws
  {
    let number = "+491701234567"
    let host = try await Host()
    let (user, _) = try await host.enrollPhone(number)
    #expect((try await host.resolver().hints[0] as? PhoneMultiFactorInfo)?.phoneNumber == "+********4567")
    let infos = try await [
      user.multiFactor.enrolledFactors[0], host.auth.admin.user("u1").factors[0].info,
      host.auth.admin.users()[0].factors[0].info,
    ]
    for info in infos {
      #expect((info as? PhoneMultiFactorInfo)?.phoneNumber == number)
      for text in ["\(info)", String(reflecting: info)] { #expect(!text.contains(number.dropFirst())) }
    }
  }

  @Test func `A store holds no number and no code, neither whole nor masked`() async throws {
    let store = InMemoryFactorStore()
    let host = try await Host(store: store)
    let (user, uid) = try await host.enrollPhone("+15105551234")
    _ = try await host.phones.verifyPhoneNumber(
      "+15105559999", multiFactorSession: user.multiFactor.session())
    _ = try await host.challenge(uid)
    let codes = try await user.multiFactor.generateRecoveryCodes().codes

    let found = Reflection(of: store)
    // The search does see the documents: a user's name is not sealed, but the user's account is.
    #expect(found.contains("user/u1") && !found.contains(uid) && !found.contains("Mobile"))
    // The last is a number in hexadecimal, which names of documents have.
    for text in ["5105551234", "5105559999", "5551234", "*1234", "35313035353531323334"] {
      #expect(!found.contains(text))
    }
    for message in host.sender.messages { #expect(!found.contains(message.code)) }
    for code in codes {
      #expect(!found.contains(code) && !found.contains(code.filter { $0 != "-" }))
      #expect(!found.contains(try Base32.decode(code)))
    }
  }

  @Test func `The same code has a different hash for each user and each message`() async throws {
    let host = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.phone(testPhoneNumbers: ["+15550000000": "123456"])]))
    var hashes: [[UInt8]] = []
    for principal in [Host.alice, Host.alice, Host.bob] {
      let session = try await host.signIn(principal).multiFactor.session()
      _ = try await host.phones.verifyPhoneNumber("+15550000000", multiFactorSession: session)
      hashes += try await host.phoneDocument(principal.id).challenges.map { challenge in
        guard case .code(let hash) = challenge.answer else { throw NothingToChooseFrom() }
        return hash
      }
    }
    #expect(hashes.count == 3 && Set(hashes).count == 3)
  }
}
