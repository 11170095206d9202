import Foundation
import Mustache

/// The templates of the pages, and their texts in each language.
struct Pages: Sendable {
  private let library: MustacheLibrary
  private let languages: [Language]
  private static let folder = Bundle.module.bundleURL.appendingPathComponent("Pages")

  /// Reads them from the program's resources.
  init() throws {
    MustacheContentTypes.register(PageText(), named: "PAGE")
    var library = MustacheLibrary()
    for file in try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "mustache" {
      // Every template escapes by `PageText`; no template asks for it itself.
      let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
      let template = "{{% CONTENT_TYPE: PAGE}}" + text
      try library.register(template, named: file.deletingPathExtension().lastPathComponent)
    }
    self.library = library
    languages = try ["en", "ar"].map { code in
      let data = try Data(contentsOf: Self.folder.appendingPathComponent("\(code).json"))
      return Language(
        code: code, isRightToLeft: code == "ar", texts: try JSONDecoder().decode([String: String].self, from: data))
    }
  }

  /// A file that pages load.
  func file(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
  }

  /// The first available language of a list: the visitor's choice, then `Accept-Language`.
  func language(_ wanted: [String]) -> Language {
    for code in wanted {
      let name = code.lowercased().prefix { $0.isLetter }
      if let language = languages.first(where: { name == $0.code }) { return language }
    }
    return languages[0]
  }

  /// A whole page.
  func render(_ name: String, _ content: [String: Any], for visit: Visit) -> String {
    var content = content
    let language = visit.language
    content["t"] = language.texts
    content["page"] = name
    content["csrf"] = visit.session.csrf
    if let notice = visit.session.notice { content["notice"] = language.text(notice) }
    content["title"] = content["title"] ?? language.text(name)
    content["lang"] = language.code
    content["dir"] = language.isRightToLeft ? "rtl" : "ltr"
    content["isSignedIn"] = visit.session.handle != nil
    content["languages"] = languages.filter { !visit.isForm && $0.code != language.code }.map {
      ["code": $0.code, "name": $0.text("language"), "link": visit.link(to: $0)]
    }
    content["hasLanguages"] = !visit.isForm
    content["body"] = library.render(content, withTemplate: name) ?? ""
    return library.render(content, withTemplate: "layout") ?? ""
  }
}

/// Values in a page's HTML.
///
/// Browsers read HTML by code points, so that is how it is escaped. (Mustache's own escaping goes by `Character`, and
/// misses a `<` that has a combining mark after it, or U+0600 before it.)
private struct PageText: MustacheContentType {
  func escapeText(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      // HTML cannot have one, not even as a reference.
      case "\0": escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
