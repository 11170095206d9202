internal import COTPSupport
import OTP

/// A JSON text (RFC 8259) that is read strictly and in place, so that no secret is copied but by whoever takes it, into
/// memory that is wiped. Foundation's decoders leave copies behind, take one of two fields of a name, and read `1.0` as
/// a whole number.
///
/// It must be UTF-8 without a byte order mark, with at most 16 objects and arrays in each other and 256 fields in an
/// object, whose names are unique and have no escapes.
package final class JSONText: Sendable {
  fileprivate let memory: SecretBytes
  fileprivate let nodes: [JSONNode]
  /// Why it is refused.
  package let fault: JSONFault?

  /// - Parameters:
  ///   - memory: The text, which must not change as long as this exists.
  ///   - range: The part of the memory that it is; `nil` for all.
  package init(_ memory: SecretBytes, in range: Range<Int>? = nil) {
    self.memory = memory
    (nodes, fault) = memory.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        var parser = unsafe JSONParser(bytes: bytes, range ?? 0..<bytes.count)
        let fault = parser.fault()
        return (parser.nodes, fault)
      }
    }
  }

  /// The outermost value; with a fault, what was read before it.
  package var beginning: JSONValue? { nodes.isEmpty ? nil : JSONValue(text: self, index: 0) }

  /// The outermost value.
  package var value: JSONValue {
    get throws(JSONFault) {
      if let fault { throw fault }
      guard let beginning else { throw JSONFault(.malformed) }
      return beginning
    }
  }
}

/// A value in a JSON text.
package struct JSONValue: Sendable {
  fileprivate let text: JSONText
  fileprivate let index: Int

  private var node: JSONNode { text.nodes[index] }

  package var isNull: Bool { node.kind == .null }

  package var isObject: Bool { node.kind == .object }

  package var flag: Bool? { node.kind == .true ? true : node.kind == .false ? false : nil }

  /// An array's elements.
  package var elements: [JSONValue]? { node.kind == .array ? children : nil }

  /// An object's fields, in their order.
  package var fields: [(name: String, value: JSONValue)]? {
    guard isObject else { return nil }
    let children = children
    return stride(from: 1, to: children.count, by: 2).map { place in
      (children[place - 1].string ?? "", children[place])
    }
  }

  /// The value of an object's field.
  package subscript(name: String) -> JSONValue? {
    guard isObject else { return nil }
    let (nodes, end, count) = (text.nodes, node.next, name.utf8.count)
    return text.memory.withBytes { bytes in
      var place = index + 1
      // After a fault, the last name may have no value.
      while place + 1 < end {
        let start = nodes[place].start
        if nodes[place].end - start == count, zip(start..., name.utf8).allSatisfy({ bytes[$0] == $1 }) {
          return JSONValue(text: text, index: place + 1)
        }
        place = nodes[place + 1].next
      }
      return nil
    }
  }

  /// How many fields or elements there are.
  package var count: Int {
    var (count, place) = (0, index + 1)
    while place < node.next { (count, place) = (count + 1, text.nodes[place].next) }
    return isObject ? count / 2 : count
  }

  /// A text that is not secret.
  package var string: String? {
    guard node.isText else { return nil }
    guard node.kind == .escapedText else {
      return unsafe bytes { bytes in unsafe String(validUTF8: bytes.span) }
    }
    return utf8?.withBytes { bytes in String(validUTF8: bytes) }
  }

  /// A text's UTF-8.
  package var utf8: SecretBytes? {
    guard node.isText else { return nil }
    if node.kind == .text { return unsafe bytes { bytes in unsafe SecretBytes(copying: bytes.span) } }
    defer { otp_wipe_registers() }
    let copy = SecretBytes(capacity: node.end - node.start)
    let count = unsafe bytes { bytes in unsafe JSONEscape.unescape(bytes, into: copy.mutableBytes) }
    copy.shrink(to: count)
    return copy
  }

  /// A number that is written without a fraction or an exponent, exactly.
  package func whole<Whole: FixedWidthInteger>(as type: Whole.Type = Whole.self) -> Whole? {
    guard node.kind == .whole else { return nil }
    let (isNegative, magnitude) = unsafe bytes { bytes -> (Bool, UInt64?) in
      let isNegative = unsafe bytes.first == UInt8(ascii: "-")
      var value: UInt64 = 0
      for place in (isNegative ? 1 : 0)..<bytes.count {
        let (tens, isTooLong) = value.multipliedReportingOverflow(by: 10)
        let (sum, isTooLarge) = tens.addingReportingOverflow(UInt64(unsafe bytes[place] - UInt8(ascii: "0")))
        if isTooLong || isTooLarge { return (isNegative, nil) }
        value = sum
      }
      return (isNegative, value)
    }
    guard isNegative else { return magnitude.flatMap { Whole(exactly: $0) } }
    return magnitude.flatMap { $0 <= 1 << 63 ? Whole(exactly: Int64(truncatingIfNeeded: 0 &- $0)) : nil }
  }

  private var children: [JSONValue] {
    var (children, place) = ([JSONValue](), index + 1)
    while place < node.next {
      children.append(JSONValue(text: text, index: place))
      place = text.nodes[place].next
    }
    return children
  }

  private func bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let node = node
    return text.memory.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe body(UnsafeBufferPointer(rebasing: bytes[node.start..<node.end]))
      }
    }
  }
}

/// The fields of an object of which each must be known.
package struct JSONFields {
  private let object: JSONValue
  private var takenCount = 0

  /// `nil` for another value.
  package init?(_ object: JSONValue) {
    guard object.isObject else { return nil }
    self.object = object
  }

  /// A field's value. Each name may be asked for once.
  package mutating func take(_ name: String) -> JSONValue? {
    guard let value = object[name] else { return nil }
    takenCount += 1
    return value
  }

  /// Whether there are no fields but those that were taken.
  package var areAllTaken: Bool { takenCount == object.count }
}

/// What is wrong with a JSON text itself, and where.
package struct JSONFault: Error, Sendable, Equatable {
  /// What is wrong, in words for people.
  package enum Reason: String, Sendable {
    case byteOrderMark = "begins with a byte order mark"
    case notUTF8 = "not UTF-8"
    case tooDeep = "nested too deeply"
    case tooManyFields = "more than 256 fields"
    case controlCharacter = "a control character"
    case malformed = "not well-formed JSON"
    case escapedName = "a name with an escape in it"
    case duplicateName = "given twice"
  }

  package let reason: Reason
  /// The path from the outermost value.
  package private(set) var path: [JSONPathElement] = []

  init(_ reason: Reason) { self.reason = reason }

  /// The same, as it is seen from the value around it.
  func within(_ element: JSONPathElement) -> JSONFault {
    var fault = self
    fault.path.insert(element, at: 0)
    return fault
  }
}

/// One element of a path: from a JSON value into one that it contains.
package enum JSONPathElement: Sendable, Equatable {
  case name(String)
  case index(Int)
}
