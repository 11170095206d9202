import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, and so frees what it holds: at most a body of the
/// size that ``Responder`` permits, and the headers that NIO permits.
final class RequestLimits: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  /// How long a client may take to send a request.
  static let longestTime = TimeAmount.seconds(20)

  /// Notices the first byte of a request, before it is parsed.
  private final class Arrivals: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Closes the connection; `nil` between requests.
    var deadline: Scheduled<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if deadline == nil {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: longestTime) { channel.close(promise: nil) }
      }
      context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
      deadline?.cancel()
      context.fireChannelInactive()
    }
  }

  private let arrivals = Arrivals()

  func handlerAdded(context: ChannelHandlerContext) {
    try? context.pipeline.syncOperations.addHandler(arrivals, position: .first)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) {
      arrivals.deadline?.cancel()
      arrivals.deadline = nil
    }
    context.fireChannelRead(data)
  }
}
