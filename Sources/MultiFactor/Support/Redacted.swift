/// A value whose description, mirror and dump say what it is and nothing of what it holds.
protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The type's name.
  public var description: String { "\(Self.self)(redacted)" }
  /// The type's name.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
