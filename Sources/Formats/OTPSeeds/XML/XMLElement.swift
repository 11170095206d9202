import OTP

/// The start tag of an element.
struct XMLElement {
  /// The namespace of the name.
  let space: XMLNamespace
  let name: String
  let line: Int
  /// The attributes in order, with their names as written in the file.
  let attributes: [(name: String, value: String)]

  /// The value of an attribute without a prefix.
  subscript(_ name: String) -> String? { attributes.first { $0.name.hasBytes(of: name) }?.value }

  /// Whether it has this name, without a prefix, in a namespace that key containers use.
  func isCalled(_ name: String) -> Bool { space != .foreign && self.name.hasBytes(of: name) }
}

/// A namespace.
enum XMLNamespace: Equatable {
  /// RFC 6030's namespace.
  case container
  /// The namespaces of XML Encryption, XML Signature and PKCS #5, which have no names in common; and no namespace, as
  /// in the parameters of PBKDF2 in RFC 6030's figures.
  case borrowed
  /// Any other: an extension, which is skipped.
  case foreign

  init(_ name: String) {
    switch name {
    case "urn:ietf:params:xml:ns:keyprov:pskc": self = .container
    case "", "http://www.w3.org/2001/04/xmlenc#", "http://www.w3.org/2009/xmlenc11#",
      "http://www.w3.org/2000/09/xmldsig#", "http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5v2-0#",
      "http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5#":
      self = .borrowed
    default: self = .foreign
    }
  }
}

/// The namespaces declared by the open elements.
struct XMLNamespaces {
  /// For each open element, the prefixes that it declares.
  private var scopes: [[(prefix: String, space: XMLNamespace)]] = []

  mutating func enter(_ attributes: [(name: String, value: String)]) {
    scopes.append(
      attributes.compactMap { attribute in
        if attribute.name.hasBytes(of: "xmlns") { return ("", XMLNamespace(attribute.value)) }
        guard attribute.name.utf8.starts(with: "xmlns:".utf8) else { return nil }
        return (String(decoding: attribute.name.utf8.dropFirst(6), as: UTF8.self), XMLNamespace(attribute.value))
      })
  }

  mutating func leave() { scopes.removeLast() }

  /// The namespace of a name, and the name without its prefix; `nil` if the prefix is not declared.
  func resolve(_ name: String) -> (space: XMLNamespace, name: String)? {
    let parts = name.utf8.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    guard let last = texts.last, !last.utf8.isEmpty, !last.utf8.contains(0x3A) else { return nil }
    let prefix = texts.count == 2 ? texts[0] : ""
    for scope in scopes.reversed() {
      if let found = scope.last(where: { $0.prefix.hasBytes(of: prefix) }) { return (found.space, last) }
    }
    return prefix.utf8.isEmpty && texts.count == 1 ? (.borrowed, last) : nil
  }
}
