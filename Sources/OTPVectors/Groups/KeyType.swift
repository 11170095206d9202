/// The types of keys that a key URI describes.
enum KeyType: String, CaseIterable, Sendable {
  case totp, hotp
}
