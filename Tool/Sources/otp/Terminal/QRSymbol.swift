import CQRencode

/// A QR code's modules (ISO/IEC 18004), as libqrencode makes them: byte mode, error correction level M, and the
/// smallest version that holds the text.
///
/// The modules are the text in another form, so their memory is wiped when it is released. What libqrencode needs in
/// between it frees itself, as it is.
@safe final class QRSymbol {
  /// What version 40 holds at level M.
  static let maximumByteCount = 2331

  /// How many modules a side has: 21, 25, … 177.
  let size: Int

  private let code: UnsafeMutablePointer<QRcode>

  /// Encodes the text's UTF-8 bytes, without saying that they are UTF-8: a key URI is ASCII.
  init(_ text: String) throws(ToolError) {
    guard !text.isEmpty else { throw .data("there is no text to draw as a QR code") }
    guard text.utf8.count <= QRSymbol.maximumByteCount else {
      throw .data("a QR code holds \(QRSymbol.maximumByteCount) bytes at most")
    }
    // The bytes are the string's own; nothing here copies them.
    var text = text
    let encoded = text.withUTF8 { utf8 in
      unsafe QRcode_encodeData(CInt(utf8.count), utf8.baseAddress, 0, QR_ECLEVEL_M)
    }
    guard let code = unsafe encoded else { throw .software("the QR code cannot be made") }
    unsafe self.code = unsafe code
    size = unsafe Int(code.pointee.width)
  }

  deinit {
    // The call that follows is another library's, so the compiler has to keep these stores.
    unsafe code.pointee.data.update(repeating: 0, count: size * size)
    unsafe QRcode_free(code)
  }

  /// Whether a module is dark. All around the symbol is light.
  func isDark(row: Int, column: Int) -> Bool {
    guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
    // The other bits say what a module is for.
    return unsafe code.pointee.data[row * size + column] & 1 == 1
  }
}
