import Foundation
import MultiFactor
import MultiFactorPostgreSQL

/// Creates and uses a store, and reports the result.
enum Probe {
  /// Writes documents of 8 KB to the store at a URL.
  ///
  /// - Returns: `made`, or everything that the error shows.
  static func use(_ url: String, documents: Int) async -> String {
    var configuration = PostgreSQLFactorStore.Configuration()
    (configuration.waitingSeconds, configuration.connectSeconds) = (1, 1)
    do {
      let settings = configuration
      do {
        try await PostgreSQLFactorStore.create(url: url, configuration: settings)
      } catch let error as FactorStoreError where error.kind == .exists {}
      let store = try PostgreSQLFactorStore(url: url, configuration: configuration)
      for number in 0..<documents {
        guard let key = DocumentKey("probe/\(number)") else { return "not a key" }
        try await store.update(key) { $0 = [UInt8](repeating: 7, count: 8000) }
      }
      return "made"
    } catch {
      var dumped = ""
      dump(error, to: &dumped)
      return "\(error) \(error.localizedDescription) \(dumped)"
    }
  }
}
