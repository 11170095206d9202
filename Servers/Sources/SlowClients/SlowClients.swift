import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, or for too long takes nothing of a response, and
/// so frees what it holds.
///
/// Hummingbird's limit for idle connections covers the pause between requests, but neither of these: it begins again
/// with each part of a request, and does not apply while a response is written.
package final class SlowClients: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart

  /// How long a client may take to send a request, and to make room for more of a response.
  package static let longestTime = TimeAmount.seconds(20)

  /// Notices the first byte of a request, before it is parsed.
  private final class Arrivals: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Closes the connection; `nil` between requests.
    var deadline: Scheduled<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if deadline == nil { deadline = SlowClients.deadline(context) }
      context.fireChannelRead(data)
    }
  }

  private let arrivals = Arrivals()
  private var writing: Scheduled<Void>?

  package init() {}

  package func handlerAdded(context: ChannelHandlerContext) {
    try? context.pipeline.syncOperations.addHandler(arrivals, position: .first)
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) {
      arrivals.deadline?.cancel()
      arrivals.deadline = nil
    }
    context.fireChannelRead(data)
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    writing?.cancel()
    if !context.channel.isWritable { writing = Self.deadline(context) }
    context.fireChannelWritabilityChanged()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    arrivals.deadline?.cancel()
    writing?.cancel()
    context.fireChannelInactive()
  }

  private static func deadline(_ context: ChannelHandlerContext) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: longestTime) { channel.close(promise: nil) }
  }
}
