import Keyring
import OTP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file of test vectors in the format `otp-vectors/2`.
///
/// Reading is strict: a file that contains anything the format does not define is refused as a whole, and the error
/// names the group and the test. Everything that has been read can be run; nothing is skipped.
public struct VectorFile: Sendable {
  /// The size of the largest file that is read, in bytes.
  public static var maximumByteCount: Int { 16 << 20 }

  /// Where the vectors come from.
  public let source: String

  private(set) var groups: [VectorGroup]

  /// The number of tests in all groups.
  public var testCount: Int { groups.reduce(0) { $0 + $1.tests.count } }

  /// The flags that a test may have.
  public static var flags: [String] { Names.flags }

  /// What a test may need of an implementation.
  public static var features: [String] { Names.features }

  /// The file with only some of its tests.
  ///
  /// - Parameters:
  ///   - groupIDs: The groups to keep; `nil` keeps all.
  ///   - flags: The flags of which a test must have at least one; `nil` keeps all tests.
  ///   - features: A profile: the features of the implementation. Tests that need others are left out; `nil` keeps all.
  public func selecting(
    groupIDs: Set<String>? = nil, flags: Set<String>? = nil, features: Set<String>? = nil
  ) -> VectorFile {
    var file = self
    file.groups = groups.compactMap { group in
      if let groupIDs, !groupIDs.contains(group.id) { return nil }
      var group = group
      group.tests.removeAll { test in
        if let flags, test.flags.isDisjoint(with: flags) { return true }
        guard let features else { return false }
        return !group.needs.union(test.needs).isSubset(of: features)
      }
      return group.tests.isEmpty ? nil : group
    }
    return file
  }

  /// Reads a file's text.
  ///
  /// - Parameter json: The text: UTF-8 without a byte order mark, at most 16 MB.
  /// - Throws: `VectorFileError` for anything that is not in the format.
  public init(json: some Collection<UInt8>) throws(VectorFileError) {
    guard json.count <= VectorFile.maximumByteCount else { throw VectorFileError(VectorFile.tooLong, names: nil) }
    let text = JSONText(SecretBytes(copying: json))
    do throws(LocatedError) {
      let document = try Document(text)
      source = document.source
      groups = document.groups
    } catch {
      throw VectorFileError(error, names: PlaceNames(at: error.place, in: text))
    }
  }

  /// Reads a file.
  ///
  /// - Parameter path: The path of a regular file of at most 16 MB.
  /// - Throws: `VectorFileError`, with `path` as its ``VectorFileError/file``.
  public init(contentsOf path: String) throws(VectorFileError) {
    do throws(VectorFileError) {
      try self.init(json: VectorFile.read(path))
    } catch {
      var error = error
      error.file = path
      throw error
    }
  }

  private static func read(_ path: String) throws(VectorFileError) -> Data {
    do throws(LocatedError) {
      let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
      // Checked first, so that neither a device nor a huge file is read into memory.
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { throw unreadable }
      guard attributes[.type] as? FileAttributeType == .typeRegular else { throw LocatedError("not a regular file") }
      // FoundationEssentials returns a `UInt`, and Foundation an `NSNumber`, which can be cast to one.
      guard let size = attributes[.size] as? UInt, size <= maximumByteCount else { throw tooLong }
      guard let data = try? Data(contentsOf: url) else { throw unreadable }
      return data
    } catch {
      throw VectorFileError(error, names: nil)
    }
  }

  private static var tooLong: LocatedError { LocatedError("longer than \(maximumByteCount >> 20) MB") }
  private static var unreadable: LocatedError { LocatedError("cannot be read") }
}
