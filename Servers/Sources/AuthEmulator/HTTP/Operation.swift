/// One of the API's operations: its paths, request, permitted callers and function.
struct Operation: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  enum Access: Sendable {
    /// Callers with an API key, or privilege.
    case client
    /// The project's owner.
    case privileged
    /// Any caller: the emulator's own endpoints.
    case open
  }

  /// The function of an operation.
  typealias Handler = @Sendable (Emulator, Call) async throws -> Answer

  let method: Method
  /// Path templates, with placeholders such as `{project}`.
  let paths: [String]
  let access: Access
  /// The fields of its body; `nil` if it has none, or ignores it.
  let request: Schema?
  let handler: Handler

  init(_ method: Method, _ paths: [String], _ access: Access, _ request: Schema?, _ handler: @escaping Handler) {
    (self.method, self.paths, self.access, self.request, self.handler) = (method, paths, access, request, handler)
  }
}

/// A response: JSON, a page, or an address to redirect to.
enum Answer: Sendable {
  case json(JSON)
  case page(String)
  case redirect(String)
}

/// The operations by path.
struct Routes: Sendable {
  /// The templates and their operations, by their number of path parts.
  private var byCount: [Int: [(template: [String], operation: Operation)]] = [:]

  init(_ operations: [Operation]) {
    for operation in operations {
      for path in operation.paths {
        let template = Self.parts(of: path)
        byCount[template.count, default: []].append((template, operation))
      }
    }
  }

  static func parts(of path: String) -> [String] { path.split(separator: "/").map(String.init) }

  /// The operation at a path, and the values of the placeholders.
  ///
  /// - Throws: ``APIError``: 404 for an unknown path, 405 for one that exists only with other methods.
  func find(_ method: String, _ parts: [String]) throws(APIError) -> (Operation, [String: String]) {
    var isKnown = false
    for (template, operation) in byCount[parts.count] ?? [] {
      guard let values = Self.match(parts, template) else { continue }
      // The old paths accept any method.
      if operation.method.rawValue == method || template.first == "www.googleapis.com" { return (operation, values) }
      isKnown = true
    }
    throw isKnown ? .wrongMethod(method) : .notFound
  }

  /// The values of a template's placeholders in a path; `nil` if the path does not match.
  private static func match(_ parts: [String], _ template: [String]) -> [String: String]? {
    var values: [String: String] = [:]
    for (part, pattern) in zip(parts, template) {
      guard let start = pattern.firstIndex(of: "{"), let end = pattern.firstIndex(of: "}") else {
        guard part == pattern else { return nil }
        continue
      }
      // `{project}:createSessionCookie`
      let suffix = pattern[pattern.index(after: end)...]
      guard part.hasSuffix(suffix), part.utf8.count > suffix.utf8.count else { return nil }
      let value = String(part.dropLast(suffix.count))
      guard !value.contains(":") || suffix.isEmpty else { return nil }
      values[String(pattern[pattern.index(after: start)..<end])] = value
    }
    return values
  }
}
