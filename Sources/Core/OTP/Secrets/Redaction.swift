/// A value whose description, in a log, in `dump` or in a debugger, says what it is but reveals nothing of what it
/// holds. For the engine and the layers above it.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What is shown in place of the value; by default the type's name.
  var redactedDescription: String { get }
}

extension Redacted {
  /// A text that reveals nothing secret.
  public var description: String { redactedDescription }
  /// A text that reveals nothing secret.
  public var debugDescription: String { redactedDescription }
}

#if hasFeature(Embedded)
/// Embedded Swift has no reflection: there is nothing to redact, and each type must spell out its own name.
package protocol CustomReflectable {}
#else
extension Redacted {
  package var redactedDescription: String { "\(Self.self)(redacted)" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
