/// One of the API's operations: where it is found, what it takes, who may call it, and what it does.
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
    /// Anybody: the emulator's own endpoints.
    case open
  }

  /// What an operation works with.
  typealias Handler = @Sendable (Emulator, Call) async throws -> Answer

  let name: String
  let method: Method
  /// Templates of the path, `{project}` and the like for what is data.
  let paths: [String]
  let access: Access
  let query: [String]
  let request: Schema?
  let handler: Handler

  init(
    _ name: String, _ method: Method, _ paths: [String], _ access: Access, query: [String] = [],
    _ request: Schema?, _ handler: @escaping Handler
  ) {
    self.name = name
    self.method = method
    self.paths = paths
    self.access = access
    self.query = query
    self.request = request
    self.handler = handler
  }

  /// One that takes no body, or ignores it.
  init(
    _ name: String, _ method: Method, _ paths: [String], _ access: Access, query: [String] = [],
    _ handler: @escaping Handler
  ) {
    self.init(name, method, paths, access, query: query, nil, handler)
  }
}

/// What is answered: JSON, or the address to go to.
enum Answer: Sendable {
  case json(JSON)
  case redirect(String)
}

/// The operations by their paths.
struct Routes: Sendable {
  /// Those of one number of parts, each with its template.
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

  /// The operation at a path, and what the path has in it.
  ///
  /// - Throws: ``APIError``: 404 for an unknown path, 405 for one that is served by other methods.
  func find(_ method: String, _ parts: [String]) throws(APIError) -> (Operation, [String: String]) {
    var isKnown = false
    for (template, operation) in byCount[parts.count] ?? [] {
      guard let values = Self.match(parts, template) else { continue }
      // The old paths take any method.
      if operation.method.rawValue == method || template.first == "www.googleapis.com" { return (operation, values) }
      isKnown = true
    }
    throw isKnown ? .wrongMethod(method) : .notFound
  }

  /// What the parts of a path have where the template has a name in braces; `nil` if they do not match it.
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
