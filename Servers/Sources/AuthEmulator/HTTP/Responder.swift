import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MultiFactor
import NIOCore

/// Handles requests: reads them, runs their operation, and writes the response.
struct Responder: HTTPResponder {
  typealias Context = BasicRequestContext

  /// The maximum size of a body, in bytes.
  static let largestBody = 1 << 20

  let emulator: Emulator
  private let routes = Routes(Operation.all)

  init(emulator: Emulator) { self.emulator = emulator }

  func respond(to request: Request, context: Context) async throws -> Response {
    var response: Response
    if request.method == .options {
      response = Response(status: .noContent)
    } else {
      do {
        response = try await Self.response(answer(to: request))
      } catch {
        response = Self.response(Self.apiError(of: error, context.logger))
      }
    }
    for (name, value) in Self.crossOriginHeaders(for: request) { response.headers[name] = value }
    return response
  }

  private func answer(to request: Request) async throws -> Answer {
    var request = request
    let content: Data
    do {
      let buffer = try await request.collectBody(upTo: Self.largestBody)
      content = Data(buffer.readableBytesView)
    } catch is NIOTooManyBytesError {
      throw APIError.tooLarge
    } catch {
      throw APIError.incompleteBody
    }
    guard let path = request.uri.path.removingPercentEncoding else { throw APIError.notFound }
    let (operation, values) = try routes.find(request.method.rawValue, Routes.parts(of: path))
    var headers: [String: String] = [:]
    for field in request.headers { headers[field.name.canonicalName] = field.value }
    let call = try Call(
      operation, path: values, query: Query.pairs(of: request.uri.query ?? ""), headers: headers, content: content,
      defaultProject: emulator.defaultProject, origin: "http://\(request.head.authority ?? "localhost")")
    return try await operation.handler(emulator, call)
  }

  /// The response for an error. An internal error is logged.
  private static func apiError(of error: any Error, _ logger: Logger) -> APIError {
    switch error {
    case let error as APIError: return error
    case let error as AuthError where APIError(error) != .internal: return APIError(error)
    default:
      logger.error("\(error)")
      return .internal
    }
  }

  private static func response(_ answer: Answer) -> Response {
    switch answer {
    case .json(let body): response(.ok, body)
    case .page(let text): page(text)
    case .redirect(let address): Response(status: .seeOther, headers: [.location: address])
    }
  }

  private static func page(_ text: String) -> Response {
    var headers: HTTPFields = [.contentType: "text/html; charset=UTF-8", .cacheControl: "no-store"]
    headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  private static func response(_ error: APIError) -> Response {
    response(HTTPResponse.Status(code: error.statusCode), error.body)
  }

  private static func response(_ status: HTTPResponse.Status, _ body: JSON) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=UTF-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body.text)))
  }

  /// Any page may call the emulator: it protects nothing.
  private static func crossOriginHeaders(for request: Request) -> [(HTTPField.Name, String)] {
    var headers: [(HTTPField.Name, String)] = [(.accessControlAllowOrigin, request.headers[.origin] ?? "*")]
    if request.headers[.origin] != nil { headers.append((.vary, "Origin")) }
    guard request.method == .options else { return headers }
    headers.append((.accessControlAllowMethods, "GET,HEAD,PUT,PATCH,POST,DELETE"))
    if let names = request.headers[.accessControlRequestHeaders] {
      headers.append((.accessControlAllowHeaders, names))
    }
    if let asked = HTTPField.Name("Access-Control-Request-Private-Network"), request.headers[asked] != nil,
      let allowed = HTTPField.Name("Access-Control-Allow-Private-Network")
    {
      headers.append((allowed, "true"))
    }
    return headers
  }
}
