import Foundation
import Mustache

/// The templates of the pages, and their texts in each language.
struct Pages: Sendable {
  private let library: MustacheLibrary
  private let languages: [Language]
  let style: String

  /// Reads them from the program's resources.
  init() async throws {
    let folder = Bundle.module.bundleURL.appendingPathComponent("Pages")
    library = try await MustacheLibrary(directory: folder.path)
    languages = try ["en", "ar"].map { code in
      let data = try Data(contentsOf: folder.appendingPathComponent("\(code).json"))
      return Language(
        code: code, isRightToLeft: code == "ar", texts: try JSONDecoder().decode([String: String].self, from: data))
    }
    style = try String(contentsOf: folder.appendingPathComponent("style.css"), encoding: .utf8)
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
    content["csrf"] = visit.session.csrf
    if let notice = visit.session.notice { content["notice"] = language.text(notice) }
    content["title"] = content["title"] ?? language.text(name)
    content["lang"] = language.code
    content["dir"] = language.isRightToLeft ? "rtl" : "ltr"
    content["isSignedIn"] = visit.session.handle != nil
    content["languages"] = languages.map {
      ["code": $0.code, "name": $0.text("language"), "path": visit.path] as [String: Any]
    }
    content["body"] = library.render(content, withTemplate: name) ?? ""
    return library.render(content, withTemplate: "layout") ?? ""
  }
}
