/// A value whose description says what it is and nothing of what it holds: in a log, in `dump`, in a debugger.
protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible {
  /// What stands in the value's place.
  var redactedDescription: String { get }
}

extension Redacted {
  /// A text that shows nothing secret.
  public var debugDescription: String { redactedDescription }
}

#if !hasFeature(Embedded)
// Embedded Swift has no reflection: there is nothing to redact.
extension OTPSecret: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HMACKey: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OTPCode: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OTPAuthURI: CustomReflectable {
  /// A mirror without children: the description says what can be shown.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OTPAuthURI.Parameter: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SubmittedCode: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
