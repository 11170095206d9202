import Foundation

/// One request: its project and tenant, its caller's privilege, and its contents.
struct Call: Sendable {
  let project: String
  /// `nil` for the project's own users.
  let tenant: String?
  /// Whether the caller is the project's owner.
  let isPrivileged: Bool
  /// Normalized by the operation's schema.
  var body: JSON
  let query: [String: String]
  /// The values of the path template's placeholders.
  let path: [String: String]
  /// The address at which the caller has reached the emulator, such as `http://127.0.0.1:9099`, for links.
  let origin: String
  /// Whether the caller is a browser that shows a page.
  var wantsPage = false
  /// Whether the emulator itself makes the request, for an import or export.
  var isOwn = false

  /// Checks a request against its operation.
  ///
  /// - Throws: ``APIError``, in the order of Google's emulator: first the caller is checked, then the contents.
  init(
    _ operation: Operation, path: [String: String], query: [String: String], headers: [String: String], content: Data,
    defaultProject: String, origin: String
  ) throws(APIError) {
    isPrivileged = try Self.isPrivileged(by: headers["authorization"])
    let key = query["key"] ?? headers["x-goog-api-key"] ?? ""
    switch operation.access {
    case .privileged where !isPrivileged: throw .missingBearer
    case .client where !isPrivileged && key.isEmpty: throw .missingKey
    default: break
    }
    body = try Self.body(content, type: headers["content-type"] ?? "", of: operation)
    self.path = path
    self.query = query
    self.origin = origin
    wantsPage = headers["accept"]?.contains("text/html") ?? false

    let target = body["targetProjectId"]?.string
    if operation.access == .client, !isPrivileged, path["project"] != nil || target != nil {
      throw APIError("INSUFFICIENT_PERMISSION", "Only authenticated requests can specify target_project_id.")
    }
    let named = operation.access == .open ? query["projectId"] : nil
    project = path["project"] ?? target ?? named ?? defaultProject
    guard Self.isName(project) else { throw APIError("INVALID_PROJECT_ID") }

    var tenant = path["tenant"] ?? body["tenantId"]?.string ?? query["tenantId"]
    if let inBody = body["tenantId"]?.string, inBody != tenant { throw .tenantMismatch }
    // A token names its own tenant.
    let ofToken =
      body["idToken"]?.string.map { IDToken(unchecked: $0)?.tenant }
      ?? body["refreshToken"]?.string.map { RefreshToken(text: $0)?.tenant }
    if let ofToken = ofToken ?? nil {
      guard tenant == nil || tenant == ofToken else { throw .tenantMismatch }
      tenant = ofToken
    }
    if let tenant { guard Self.isName(tenant) else { throw APIError("INVALID_TENANT_ID") } }
    self.tenant = tenant
  }

  /// A request by the emulator itself.
  init(owner project: String, tenant: String? = nil, body: JSON) {
    (self.project, self.tenant, isPrivileged) = (project, tenant, true)
    (query, path, origin, isOwn) = ([:], [:], "", true)
    self.body = body
  }

  /// Whether a text can name a project or tenant.
  static func isName(_ text: String) -> Bool {
    text.wholeMatch(of: /[-.0-9A-Z_a-z]{1,60}/.matchingSemantics(.unicodeScalar)) != nil
  }

  /// Whether an `Authorization` header grants privilege: `Bearer owner` and Google's OAuth 2 tokens do; anything other
  /// than `Bearer` is ignored.
  private static func isPrivileged(by authorization: String?) throws(APIError) -> Bool {
    guard let authorization else { return false }
    let words = authorization.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
    guard words[1].lowercased() == "owner" || words[1].hasPrefix("ya29.") else { throw .invalidBearer }
    return true
  }

  private static func body(_ content: Data, type: String, of operation: Operation) throws(APIError) -> JSON {
    guard let schema = operation.request else { return [:] }
    guard !content.isEmpty else { return [:] }
    let value: JSON
    if type.lowercased().hasPrefix("application/x-www-form-urlencoded") {
      guard operation.paths == [Operation.tokenPath] else { throw .invalid("It is not JSON.") }
      let pairs = Query.pairs(of: String(decoding: content, as: UTF8.self))
      value = .object(pairs.mapValues(JSON.string))
    } else {
      value = try JSON(parsing: content)
    }
    guard case .object = value else { throw .invalid("Root element must be a message.") }
    var body = try Kind.object(schema).normalized(value)
    // As in proto3, an empty text is treated as absent.
    for name in ["idToken", "tenantId", "targetProjectId"] where body[name]?.string == "" { body[name] = nil }
    return body
  }
}

/// The query of a URL, and forms in the same encoding.
enum Query {
  /// The names and values; the last value of each name wins.
  static func pairs(of text: String) -> [String: String] {
    var pairs: [String: String] = [:]
    for part in text.split(separator: "&") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      pairs[decoded(sides[0])] = sides.count > 1 ? decoded(sides[1]) : ""
    }
    return pairs
  }

  private static func decoded(_ text: Substring) -> String {
    let text = text.replacing("+", with: " ")
    return text.removingPercentEncoding ?? String(text)
  }

  /// A value, encoded for a URL.
  static func encoded(_ text: String) -> String {
    let unreserved = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
