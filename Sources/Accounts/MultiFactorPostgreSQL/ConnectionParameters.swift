#if PostgreSQL
import CLibpq
import Foundation
import MultiFactor

/// One setting of a connection.
struct ConnectionParameter {
  let keyword: String
  var value: String
}

/// The settings in a connection string. They may contain a password, which is never shown.
struct ConnectionParameters: Sendable, CustomStringConvertible, CustomReflectable {
  /// The settings for each of the hosts, in order.
  let hosts: [[ConnectionParameter]]

  /// Reads a connection string or URL in libpq's format.
  ///
  /// - Throws: `FactorStoreError` with `invalidConfiguration`.
  init(_ url: String) throws(FactorStoreError) {
    guard !url.utf8.contains(0), let options = unsafe PQconninfoParse(url, nil) else {
      throw FactorStoreError(.invalidConfiguration)
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
    // The store itself checks which host accepts writes, so that it knows each host's response.
    guard ["any", "read-write", "primary"].contains(settings["target_session_attrs"] ?? "any") else {
      throw FactorStoreError(.invalidConfiguration)
    }
    settings["target_session_attrs"] = "any"
    // libpq's own default trusts any server, even without encryption. The mode is ignored on a Unix socket. libpq
    // notices an invalid mode only when it connects.
    if settings["sslmode"] == nil, unsafe getenv("PGSSLMODE") == nil { settings["sslmode"] = "verify-full" }
    let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    guard settings["sslmode"].map({ modes.contains($0) }) ?? true else { throw FactorStoreError(.invalidConfiguration) }
    if settings["application_name"] == nil { settings["application_name"] = "swift-otp" }

    let listed = ["host", "hostaddr", "port"].map { keyword in
      (keyword, settings.removeValue(forKey: keyword)?.split(separator: ",", omittingEmptySubsequences: false) ?? [])
    }
    let count = listed.map(\.1.count).max() ?? 0
    guard listed.allSatisfy({ $0.1.count <= 1 && $0.0 == "port" || $0.1.isEmpty || $0.1.count == count }) else {
      throw FactorStoreError(.invalidConfiguration)
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

  /// Only the number of hosts.
  var description: String { "\(hosts.count) hosts" }
  /// A mirror without children.
  var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
