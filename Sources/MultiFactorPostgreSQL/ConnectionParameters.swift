#if PostgreSQL
import CLibpq
import Foundation

/// One setting of a connection.
struct ConnectionParameter {
  let keyword: String
  var value: String
}

/// What a connection string says. It may have a password: nothing shows it.
struct ConnectionParameters: Sendable, CustomStringConvertible, CustomReflectable {
  /// The settings for each of the hosts, in their order.
  let hosts: [[ConnectionParameter]]

  /// Reads a connection string or URL, as libpq has them.
  ///
  /// - Throws: ``PostgreSQLFactorStoreError`` with `invalidURL`.
  init(_ url: String) throws(PostgreSQLFactorStoreError) {
    guard !url.utf8.contains(0), let options = unsafe PQconninfoParse(url, nil) else {
      throw PostgreSQLFactorStoreError(.invalidURL)
    }
    defer { unsafe PQconninfoFree(options) }
    var settings: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        unsafe settings[String(cString: keyword)] = unsafe String(cString: value)
      }
      unsafe option += 1
    }
    // Which of the hosts can be written to, the store looks itself, so that it knows what each has answered.
    guard ["any", "read-write", "primary"].contains(settings["target_session_attrs"] ?? "any") else {
      throw PostgreSQLFactorStoreError(.invalidURL)
    }
    settings["target_session_attrs"] = "any"
    // libpq's own default takes any server's word for who it is, and no encryption too. It has no meaning on a socket.
    // A mode that there is not, libpq notices only when it connects.
    if settings["sslmode"] == nil, unsafe getenv("PGSSLMODE") == nil { settings["sslmode"] = "verify-full" }
    let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    guard settings["sslmode"].map({ modes.contains($0) }) ?? true else { throw PostgreSQLFactorStoreError(.invalidURL) }
    if settings["application_name"] == nil { settings["application_name"] = "swift-otp" }

    let listed = ["host", "hostaddr", "port"].map { keyword in
      (keyword, settings.removeValue(forKey: keyword)?.split(separator: ",", omittingEmptySubsequences: false) ?? [])
    }
    let count = listed.map(\.1.count).max() ?? 0
    guard listed.allSatisfy({ $0.1.count <= 1 && $0.0 == "port" || $0.1.isEmpty || $0.1.count == count }) else {
      throw PostgreSQLFactorStoreError(.invalidURL)
    }
    let common = settings.map { ConnectionParameter(keyword: $0.key, value: $0.value) }
    hosts = (0..<max(count, 1)).map { index in
      common
        + listed.compactMap { keyword, values in
          guard let value = values.count == 1 ? values[0] : values.dropFirst(index).first else { return nil }
          return ConnectionParameter(keyword: keyword, value: String(value))
        }
    }
  }

  /// Nothing but how many hosts there are.
  var description: String { "\(hosts.count) hosts" }
  /// Nothing.
  var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
