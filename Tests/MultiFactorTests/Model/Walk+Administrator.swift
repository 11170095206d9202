import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

// Operations of administrators.
extension Walk {
  private var admin: MultiFactorAdmin { host.auth.admin }

  mutating func unlock() async throws {
    let uid = random.pick(devices.map(\.uid) + [RecoveryCodeMultiFactorID])
    let admin = admin
    let refusal = await errorCode { try await admin.unlock(uid, of: Host.alice.id) }
    try expect(refusal, model.unlock(uid: uid), "unlock")
  }

  mutating func revoke() async throws {
    try await admin.revokeTokens(of: Host.alice.id)
    model.revoke()
  }

  mutating func importFactor() async throws {
    let (factor, given) = try pickImport()
    let admin = admin
    let refusal = await errorCode { try await admin.importFactor(factor, for: Host.alice.id) }
    try expect(refusal, model.importFactor(given), "import")
    guard refusal == nil, let device = model.devices.last else { return }
    devices.append(device)
    if case .new(let new) = given, new.last != device.last { outcomes["import: spent before", default: 0] += 1 }
  }

  /// Keeps some of the user's factors, and adds others.
  mutating func overwriteFactors() async throws {
    var list = model.devices.filter { _ in random.next() % 2 == 0 }.map(Self.kept)
    for _ in 0..<random.pick([0, 0, 1, 1, 2, 4]) { list.append(try pickImport()) }
    list.shuffle(using: &random)
    let (admin, factors) = (admin, list.map(\.0))
    let refusal = await errorCode { try await admin.overwriteFactors(of: Host.alice.id, with: factors) }
    try expect(refusal, model.overwrite(with: list.map(\.1)), "overwrite")
    if refusal == nil { devices += model.devices }
  }

  mutating func removeFactor() async throws {
    guard let device = random.next() % 4 == 0 ? devices.randomElement(using: &random) : model.devices.last else {
      return
    }
    let admin = admin
    let refusal = await errorCode { try await admin.removeFactor(device.uid, of: Host.alice.id) }
    try expect(refusal, model.remove(uid: device.uid), "remove")
  }

  mutating func removeRecoveryCodes() async throws {
    let admin = admin
    let refusal = await errorCode { try await admin.removeRecoveryCodes(of: Host.alice.id) }
    model.removeRecoveryCodes()
    try expect(refusal, nil, "remove recovery codes")
  }

  /// Deletes the user, and one time in two deletes again after all handles have expired.
  mutating func deleteUser() async throws {
    let end: Int64 = 3600 + 2 * 86_400
    for pause in random.pick([[0], [0], [0, end - 1], [0, end], [0, end + 1, 0]]) as [Int64] {
      advance(by: pause)
      let isGone = try await admin.deleteUser(Host.alice.id)
      try expect(nil, nil, isGone ? "delete for good" : "delete")
      guard isGone == model.delete() else {
        throw Difference(description: "a deletion \(isGone ? "left nothing" : "left something")")
      }
    }
  }

  /// What the model knows a secret by.
  static func key(_ secret: OTPSecret) throws -> String {
    let bytes = secret.unwipedBytes()
    return try OTPSecret(bytes: bytes.prefix((bytes.lastIndex { $0 != 0 } ?? 0) + 1)).base32String()
  }

  private static func kept(_ device: RuleModel.Device) -> (FactorImport, RuleModel.Given) {
    (.enrolled(uid: device.uid), .kept(uid: device.uid))
  }

  /// A factor for an administrator to add: mostly a new one, under a new name.
  private mutating func pickImport() throws -> (FactorImport, RuleModel.Given) {
    let old = devices.randomElement(using: &random)
    if let old, random.next() % 8 == 0 { return Self.kept(old) }
    var uid = "import-\(random.next() % 1_000_000)"
    switch random.next() % 8 {
    case 0: uid = random.pick(["", "a b", "\u{e9}", RecoveryCodeMultiFactorID])
    case 1, 2: uid = old?.uid ?? uid
    default: break
    }
    let date = model.now + random.pick([-100_000, -301, -1, 0, 1, 100_000])
    let enrolled = Date(timeIntervalSince1970: TimeInterval(date))
    // One time in four with the secret or number of a present or former device.
    let known = random.next() % 4 == 0 ? old : nil
    if known.map({ $0.kind == PhoneMultiFactorID }) ?? (random.next() % 4 == 0) {
      let number = known?.key ?? "+1510555\(1000 + random.next() % 9000)"
      let device = RuleModel.Device(uid: uid, key: number, codes: .byMessage, enrolled: date)
      return (try .phone(number: number, uid: uid, enrollmentDate: enrolled), .new(device))
    }
    let shortest = try known.map { try OTPSecret(base32: $0.key) } ?? OTPSecret(bytes: random.bytes(20...20))
    let key = try Self.key(shortest)
    // To HMAC, zeros at the end make no difference.
    let zeros = [UInt8](repeating: 0, count: random.pick([0, 0, 0, 1, 44]))
    let secret = try OTPSecret(bytes: shortest.unwipedBytes() + zeros)
    if random.next() % 2 == 0 {
      let t0: Int64 = random.pick([0, 0, -60, -30, 30, 47, 60])
      var device = RuleModel.Device(
        uid: uid, key: key, codes: .byTime(try TOTP(secret: secret, t0: t0)), t0: t0, enrolled: date)
      device.last = random.pick([nil, model.step(of: device), model.step(of: device) + 1])
      let factor = try FactorImport.totp(
        secret: secret, t0: t0, lastAcceptedStep: device.last, uid: uid, enrollmentDate: enrolled)
      return (factor, .new(device))
    }
    let last: UInt64? = random.pick([nil, 0, 999])
    let device = RuleModel.Device(
      uid: uid, key: key, codes: .byCounter(try HOTP(secret: secret)), enrolled: date, last: last)
    let factor = try FactorImport.hotp(
      secret: secret, lastAcceptedCounter: last, uid: uid, enrollmentDate: enrolled)
    return (factor, .new(device))
  }
}
