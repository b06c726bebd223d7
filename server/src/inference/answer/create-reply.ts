// Creates the writer of one answer in the client's wire format, as a stream or whole.

import type { Reply } from '../../surfaces/surface.ts'
import type { Turn } from '../turn.ts'

interface ReplyDependencies {
  now: () => number
  /** How long a client may read nothing while data waits for it. */
  idleTimeoutMs: number
}

/** Proxies in front of Sallyport close a stream that is silent for longer. */
const maxSilentMs = 15_000

export function createReply(
  { now, idleTimeoutMs }: ReplyDependencies,
  { call, surface, request, target }: Turn,
): Reply {
  const { stream, includeUsage } = request.prompt
  const { reportsUsage } = call
  const options = {
    requestId: call.verified.requestId,
    createdSeconds: Math.floor(now() / 1000),
    model: target.modelId,
    reportsUsage,
  }
  if (!stream) return surface.wholeReply(call.response, options)
  // A gateway in another process has the same idle timeout.
  const keepAliveMs = reportsUsage ? Math.min(maxSilentMs, idleTimeoutMs / 3) : maxSilentMs
  return surface.streamReply(call.response, { ...options, includeUsage, keepAliveMs })
}
