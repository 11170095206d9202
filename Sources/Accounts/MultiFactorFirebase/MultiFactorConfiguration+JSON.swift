import Keyring
import MultiFactor
import OTP

extension MultiFactorConfiguration {
  /// The longest JSON text that is read, in bytes.
  public static let maximumJSONByteCount = 65_536

  /// Reads what Identity Platform's JSON says about second factors: see `reading(json:)`.
  ///
  /// - Parameter json: The text, in UTF-8, at most 64 KiB.
  /// - Throws: `ConfigurationError` as `reading(json:)`.
  public init(json: some Collection<UInt8>) throws(ConfigurationError) {
    self = try Self.reading(json: json).configuration
  }

  /// Reads what Identity Platform's JSON says about second factors, and lists what else it contains. The JSON is the
  /// response of `projects.getConfig`, or a project's configuration as in the Admin SDK.
  ///
  /// The part about second factors is read strictly: every name must be known and unique, every number whole. A TOTP
  /// provider that is enabled is on even if `mfa.state` is `DISABLED`, and `PHONE_SMS` is then refused. For
  /// policies other than the standard ones, pass `state` and `providerConfigs` on to the memberwise initializer.
  ///
  /// - Parameter json: The text, in UTF-8, at most 64 KiB.
  /// - Returns: The configuration, and the paths of the fields that were passed over, such as `signIn.email`. Check
  ///   them for policies that are set elsewhere here: `smsRegionConfig` is `SendLimits.regions`.
  /// - Throws: `ConfigurationError` with the part's path, such as `mfa.providerConfigs[0].state`. A path ends before
  ///   a name that looks like data.
  public static func reading(
    json: some Collection<UInt8>
  ) throws(ConfigurationError) -> (configuration: MultiFactorConfiguration, passedOver: [String]) {
    let root = ConfigurationValue.text(of: [])
    let text = SecretBytes(copying: json.prefix(maximumJSONByteCount + 1))
    guard text.byteCount <= maximumJSONByteCount else { throw .outOfRange(root) }
    let project: JSONValue
    do throws(JSONFault) { project = try JSONText(text).value } catch {
      let kind: ConfigurationError.Kind = error.reason == .duplicateName ? .duplicate : .malformed
      throw ConfigurationError(kind, ConfigurationValue.text(of: error.path))
    }
    return try reading(ConfigurationValue(project))
  }
}
