import Foundation
import Keyring

/// What was verified as a second factor, and when.
package enum Proof: Sendable, Hashable {
  /// A factor, which is this one of the account's bindings.
  case factor(uid: String, FactorKind, binding: UInt64, Date)
  /// A recovery code, by its number. It stands in for what was bound by then: so many bindings.
  case recoveryCode(Int, bindings: UInt64, Date)
  /// A factor, earlier, in a browser that has been remembered since.
  case rememberedBrowser(of: String, binding: UInt64, Date)

  /// When it was verified.
  package var date: Date {
    switch self {
    case .factor(_, _, _, let date), .recoveryCode(_, _, let date), .rememberedBrowser(_, _, let date): date
    }
  }

  /// The name of the factor, or of what stood in for one, in claims and events.
  package var uid: String {
    switch self {
    case .factor(let uid, _, _, _), .rememberedBrowser(let uid, _, _): uid
    case .recoveryCode: RecoveryCodeMultiFactorID
    }
  }

  /// The kind's name, in claims and events.
  package var kind: FactorKind {
    switch self {
    case .factor(_, let kind, _, _): kind
    case .recoveryCode: .recovery
    case .rememberedBrowser: .remembered
    }
  }

  /// The number of a recovery code.
  var recoveryCode: Int? { if case .recoveryCode(let number, _, _) = self { number } else { nil } }
}

// kind · name or, for a recovery code, number (8) · binding or bindings (8) · date
extension Proof: Sealable {
  package func encode(to writer: inout ByteWriter) {
    writer.append(kind.rawValue)
    switch self {
    case .factor(let uid, _, let binding, _), .rememberedBrowser(let uid, let binding, _):
      writer.append(uid)
      writer.append(binding)
    case .recoveryCode(let number, let bindings, _):
      writer.append(UInt64(number))
      writer.append(bindings)
    }
    writer.append(date)
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    let kind = FactorKind(rawValue: try reader.readString())
    self =
      switch kind {
      case .recovery:
        .recoveryCode(
          Int(clamping: try reader.readUInt64()), bindings: try reader.readUInt64(), try reader.readDate())
      case .remembered:
        .rememberedBrowser(of: try reader.readString(), binding: try reader.readUInt64(), try reader.readDate())
      default:
        .factor(uid: try reader.readString(), kind, binding: try reader.readUInt64(), try reader.readDate())
      }
  }
}
