import Foundation
import Keyring
import MultiFactor

/// The remembered browsers of a user, in a document of their own: a value, with every rule as a function on it.
///
/// Its time never runs backward, as an account's does not.
struct BrowserDocument: Sendable, Equatable {
  struct Browser: Sendable, Equatable {
    let id: String
    /// The factor that was verified in it.
    let factorUID: String
    /// Which of the account's bindings that factor is.
    let binding: UInt64
    /// When it was verified.
    let verificationDate: Date
    /// How many factors and sets of recovery codes had been bound to the account.
    let bindingCount: UInt64
    /// The user's generation.
    let generation: UInt64
    let expiry: Date
    var name: String?
    var address: String?
    var lastUse: Date

    /// What its sign-ins show.
    var proof: Proof { .rememberedBrowser(of: factorUID, binding: binding, verificationDate) }
  }

  /// The latest time that it has seen.
  var latestTime = Date.distantPast
  /// The latest loss of changes that it has seen.
  var lossDate = Date.distantPast
  var browsers: [Browser] = []
}

/// What a browser depends on, at one moment.
struct BrowserOwner: Sendable {
  let account: Account
  let configuration: MultiFactorConfiguration
  /// The latest end of a browser that was remembered by a clock like this machine's. A later one was set by a clock far
  /// ahead, or under a longer lifetime than the present one.
  let latestEnd: Date

  /// Why a browser does not count: it has expired or was revoked, its factor is gone, or another was enrolled since.
  func refusal(of browser: BrowserDocument.Browser, at time: Date) -> AuditEvent.Reason? {
    if account.accountTime(at: time) >= browser.expiry || browser.expiry > latestEnd { return .expired }
    if browser.generation != account.generation { return .revoked }
    guard let factor = account.factor(browser.factorUID, browser.binding), configuration.allows(factor.kind) else {
      return .notFound
    }
    return account.factors.allSatisfy { $0.binding <= browser.bindingCount } ? nil : .revoked
  }
}

extension BrowserDocument {
  /// Notes the time. If the store may have lost changes since the last one, among them a browser's end, all browsers
  /// end.
  mutating func advance(to time: Date, lossDate: Date?) {
    latestTime = max(latestTime, time)
    // To the millisecond, as it is stored.
    guard let loss = lossDate.map({ Date(unixMilliseconds: $0.unixMilliseconds) }), loss > self.lossDate else { return }
    self.lossDate = loss
    browsers = []
  }

  /// Adds a browser, and removes those that no longer count, the one that it replaces, and, if there are too many, the
  /// least recently used one.
  mutating func remember(_ browser: Browser, replacing old: String?, of owner: BrowserOwner) {
    browsers.removeAll { $0.id == old || owner.refusal(of: $0, at: latestTime) != nil }
    if browsers.count >= RememberedBrowsers.maximumCount,
      let oldest = browsers.indices.min(by: { browsers[$0].lastUse < browsers[$1].lastUse })
    {
      browsers.remove(at: oldest)
    }
    browsers.append(browser)
  }

  /// Notes a sign-in from a browser: when, and where.
  ///
  /// - Returns: The browser, or why it does not count.
  mutating func use(_ id: String, of owner: BrowserOwner, from address: String?) -> Result<Browser, Refused> {
    guard let index = browsers.firstIndex(where: { $0.id == id }) else { return .failure(Refused(reason: .notFound)) }
    if let reason = owner.refusal(of: browsers[index], at: latestTime) { return .failure(Refused(reason: reason)) }
    browsers[index].lastUse = owner.account.accountTime(at: latestTime)
    browsers[index].address = address ?? browsers[index].address
    return .success(browsers[index])
  }

  struct Refused: Error { let reason: AuditEvent.Reason }

  /// Forgets a browser, or all of them, and says whether there was one.
  mutating func forget(_ id: String?) -> Bool {
    let count = browsers.count
    browsers.removeAll { id == nil || $0.id == id }
    return browsers.count < count
  }
}

// After the version: latest time · loss · browsers. Numbers are big-endian, times milliseconds since 1970.
//
//   browser:    name · verified factor's name · its binding (8) · verification · bindings (8) · generation (8) · expiry
//               · host's name? · address? · last use
extension BrowserDocument: Document {
  static var empty: BrowserDocument { BrowserDocument() }

  func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(lossDate)
    writer.append(list: browsers) { writer, browser in browser.encode(to: &writer) }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    lossDate = try reader.readDate()
    browsers = try reader.readList { (reader) throws(KeyringError) in try Browser(from: &reader) }
  }
}

extension BrowserDocument.Browser: Sealable {
  func encode(to writer: inout ByteWriter) {
    writer.append(id)
    writer.append(factorUID)
    writer.append(binding)
    writer.append(verificationDate)
    writer.append(bindingCount)
    writer.append(generation)
    writer.append(expiry)
    writer.append(name) { writer, name in writer.append(name) }
    writer.append(address) { writer, address in writer.append(address) }
    writer.append(lastUse)
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    id = try reader.readString()
    factorUID = try reader.readString()
    binding = try reader.readUInt64()
    verificationDate = try reader.readDate()
    bindingCount = try reader.readUInt64()
    generation = try reader.readUInt64()
    expiry = try reader.readDate()
    name = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    address = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    lastUse = try reader.readDate()
  }
}

/// What a browser keeps: the user's and the browser's names.
struct BrowserToken {
  let userID: String
  let id: String
}

extension BrowserToken: Sealable {
  func encode(to writer: inout ByteWriter) {
    writer.append(userID)
    writer.append(id)
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    userID = try reader.readString()
    id = try reader.readString()
  }
}

extension Purpose {
  /// What a remembered browser keeps.
  static let browserToken = Purpose("browser token")
}
