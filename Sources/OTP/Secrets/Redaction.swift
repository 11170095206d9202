/// A value whose description says what it is and nothing of what it holds: in a log, in `dump`, in a debugger. For the
/// engine and the layers on it.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What stands in the value's place; the type's name unless the type says otherwise.
  var redactedDescription: String { get }
}

extension Redacted {
  /// A text that shows nothing secret.
  public var description: String { redactedDescription }
  /// A text that shows nothing secret.
  public var debugDescription: String { redactedDescription }
}

#if hasFeature(Embedded)
/// Embedded Swift has no reflection: there is nothing to redact, and each type must say its name itself.
package protocol CustomReflectable {}
#else
extension Redacted {
  package var redactedDescription: String { "\(Self.self)(redacted)" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
