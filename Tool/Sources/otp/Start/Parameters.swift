// What the commands' declarations mean in `otp`. The names are ArgumentParser's, whose types the same declarations use
// in `otp-full`. These only read a correct command line, in a fifth of the time; they drop the help's texts, and report
// no error: `otp` executes `otp-full` instead.

protocol ParsableArguments: SendableMetatype { init() }

protocol ParsableCommand: ParsableArguments {
  static var configuration: CommandConfiguration { get }

  mutating func run() throws
}

struct CommandConfiguration: Sendable {
  let commandName: String
  let subcommands: [any ParsableCommand.Type]

  init(
    commandName: String, abstract _: @autoclosure () -> String = "", discussion _: @autoclosure () -> String = "",
    subcommands: [any ParsableCommand.Type] = []
  ) {
    (self.commandName, self.subcommands) = (commandName, subcommands)
  }
}

struct ArgumentHelp: ExpressibleByStringInterpolation {
  init(stringLiteral _: String) {}
  init(_: String, valueName _: String) {}
}

enum CompletionKind {
  case none
  static func file() -> CompletionKind { .none }
  static func list(_: [String]) -> CompletionKind { .none }
}

enum SingleValueParsingStrategy { case next, unconditional }

protocol ExpressibleByArgument { init(argument: String) }

extension String: ExpressibleByArgument {
  init(argument: String) { self = argument }
}

/// A parameter of a command.
class Parameter {
  fileprivate enum Kind { case argument, flag, option, number }

  fileprivate let kind: Kind
  /// As on the command line, without its hyphens.
  fileprivate var name = ""

  fileprivate init(_ kind: Kind) { self.kind = kind }

  /// Sets the value from a word; returns false if the word is invalid, or the parameter was given before and may be
  /// given only once.
  fileprivate func take(_ text: String) -> Bool { false }
  /// Whether it has a value, given or by default.
  fileprivate var isComplete: Bool { false }

  /// The parameters of a command or group, in the order of their declarations, which also names them.
  fileprivate static func all(of arguments: some ParsableArguments) -> [Parameter] {
    Mirror(reflecting: arguments).children.flatMap { label, value -> [Parameter] in
      guard let parameter = value as? Parameter else { return (value as? Group)?.parameters ?? [] }
      let letters = (label ?? "").dropFirst().map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }
      parameter.name = letters.joined()
      return [parameter]
    }
  }
}

/// A parameter with a value. (`Value` need not conform to a protocol, which the runtime would look up at each start.)
@propertyWrapper class Option<Value>: Parameter {
  private var value: Value?
  private var isFull = false
  private let isRepeated: Bool
  private let read: (_ text: String, _ old: Value?) throws -> Value

  var wrappedValue: Value {
    // `parsed` returns only commands whose parameters all have values.
    guard let value else { preconditionFailure("the command is incomplete") }
    return value
  }

  /// - Parameter value: The default: `nil` if the parameter is required, `.some(nil)` if it is optional and has none.
  fileprivate init(
    _ kind: Kind, _ value: Value?, isRepeated: Bool = false,
    _ read: @escaping (_ text: String, _ old: Value?) throws -> Value
  ) {
    (self.value, self.isRepeated, self.read) = (value, isRepeated, read)
    super.init(kind)
  }

  fileprivate override var isComplete: Bool { value != nil }

  fileprivate override func take(_ text: String) -> Bool {
    guard !isFull, let new = try? read(text, value) else { return false }
    (value, isFull) = (new, !isRepeated)
    return true
  }

  convenience init(help _: @autoclosure () -> ArgumentHelp) where Value: ExpressibleByArgument {
    self.init(.option, nil) { text, _ in Value(argument: text) }
  }

  convenience init<T: ExpressibleByArgument>(
    help _: @autoclosure () -> ArgumentHelp, completion _: CompletionKind = .none
  ) where Value == T? {
    self.init(.option, .some(nil)) { text, _ in T(argument: text) }
  }

  convenience init<T>(
    parsing: SingleValueParsingStrategy = .next, help _: @autoclosure () -> ArgumentHelp,
    completion _: @autoclosure () -> CompletionKind = .none, transform: @escaping (String) throws -> T
  ) where Value == T? {
    self.init(parsing == .next ? .option : .number, .some(nil)) { text, _ in try transform(text) }
  }

  convenience init(
    wrappedValue: Value, parsing _: SingleValueParsingStrategy, help _: @autoclosure () -> ArgumentHelp,
    transform: @escaping (String) throws -> Value
  ) {
    self.init(.number, wrappedValue) { text, _ in try transform(text) }
  }

  convenience init<T>(
    wrappedValue: Value, help _: @autoclosure () -> ArgumentHelp, transform: @escaping (String) throws -> T
  ) where Value == [T] {
    self.init(.option, wrappedValue, isRepeated: true) { text, old in try (old ?? []) + [transform(text)] }
  }

  convenience init(wrappedValue: Value, help _: @autoclosure () -> ArgumentHelp) where Value == Bool {
    self.init(.flag, wrappedValue) { _, _ in true }
  }
}

typealias Flag = Option<Bool>

@propertyWrapper final class Argument<Value>: Option<Value> {
  override var wrappedValue: Value { super.wrappedValue }

  init(help _: @autoclosure () -> ArgumentHelp, completion _: CompletionKind = .none)
  where Value: ExpressibleByArgument {
    super.init(.argument, nil) { text, _ in Value(argument: text) }
  }
}

/// An `OptionGroup` of any type.
class Group {
  fileprivate let parameters: [Parameter]

  fileprivate init(_ parameters: [Parameter]) { self.parameters = parameters }
}

@propertyWrapper final class OptionGroup<Value>: Group {
  let wrappedValue: Value

  init(title _: @autoclosure () -> String = "") where Value: ParsableArguments {
    wrappedValue = Value()
    super.init(Parameter.all(of: wrappedValue))
  }
}

extension ParsableCommand {
  /// The command that the words call, with its values; `nil` if they call none, or not correctly.
  static func parsed(_ words: ArraySlice<String>) -> (any ParsableCommand)? {
    guard configuration.subcommands.isEmpty else {
      return configuration.subcommands.first { $0.configuration.commandName == words.first }?.parsed(words.dropFirst())
    }
    let command = Self()
    let parameters = Parameter.all(of: command)
    var arguments = parameters.filter { $0.kind == .argument }[...]
    var (rest, isOptionPossible) = (words, true)
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        guard let argument = arguments.popFirst(), !word.isEmpty, argument.take(word) else { return nil }
        continue
      }
      guard isOptionPossible else { return nil }
      isOptionPossible = word != "--"
      guard isOptionPossible else { continue }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let parameter = parameters.first(where: { $0.kind != .argument && "--" + $0.name == parts[0] }),
        parts.count == 1 || parameter.kind != .flag
      else { return nil }
      var value = parts.last
      if parts.count == 1, parameter.kind != .flag {
        value = rest.popFirst()
        // A word that begins with a hyphen is an option, and no value, unless a number is expected.
        guard value == "-" || value?.hasPrefix(parameter.kind == .number ? "--" : "-") == false else { return nil }
      }
      guard let value, !value.isEmpty, parameter.take(value) else { return nil }
    }
    return parameters.allSatisfy(\.isComplete) ? command : nil
  }
}
