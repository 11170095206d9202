import Foundation
import StrictJSON

extension MultiFactorConfiguration {
  /// The longest JSON text that is read, in bytes.
  public static let maximumJSONByteCount = 65_536

  /// Reads Identity Platform's JSON, and nothing else: every name must be known and given once, every number whole.
  ///
  /// The policies that this JSON has no place for are the standard ones; for others, hand ``state`` and
  /// ``providerConfigs`` on to the memberwise initialiser. `JSONEncoder` writes what this reads.
  ///
  /// - Parameter json: The text, in UTF-8, at most 64 KiB.
  /// - Throws: ``ConfigurationError`` with the part's path, `mfa.providerConfigs[0].state` for one. A path ends before
  ///   a name that looks like data.
  public init(json: some Collection<UInt8>) throws(ConfigurationError) {
    let whole = ConfigurationError(.malformed, at: [])
    let text = Array(json.prefix(Self.maximumJSONByteCount + 1))
    guard text.count <= Self.maximumJSONByteCount else { throw .outOfRange(whole.part) }
    do throws(JSONFault) { try JSONPreflight.check(text) } catch {
      throw ConfigurationError(error.reason == .duplicateName ? .duplicate : .malformed, at: error.path)
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(text))
    } catch let error as ConfigurationError {
      throw error
    } catch {
      throw whole
    }
  }
}
