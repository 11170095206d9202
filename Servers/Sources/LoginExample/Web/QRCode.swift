import CQRencode

/// A QR code for an authenticator app, as SVG.
enum QRCode {
  /// The QR code of a text, with the quiet zone that cameras need; `nil` if the text is too long.
  ///
  /// - Parameter label: The text for screen readers.
  static func svg(_ text: String, label: String) -> String? {
    guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { unsafe QRcode_free(code) }
    let size = unsafe Int(code.pointee.width)
    var path = ""
    for row in 0..<size {
      for column in 0..<size where unsafe code.pointee.data[row * size + column] & 1 == 1 {
        path += "M\(column + 4) \(row + 4)h1v1h-1z"
      }
    }
    let side = size + 8
    return """
      <svg class="qr" role="img" aria-label="\(label)" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
      <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
      """
  }
}
