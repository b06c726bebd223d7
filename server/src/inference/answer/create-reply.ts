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
  { call, endpoint, request, target, storedResponse }: Turn,
): Reply {
  const { stream, includeUsage } = request.prompt
  const { reportsUsage } = call
  const options = {
    requestId: call.verified.requestId,
    createdSeconds: Math.floor(now() / 1000),
    model: target.modelId,
    reportsUsage,
    ...(request.response && { response: { ...request.response, isStored: storedResponse?.isStored ?? false } }),
  }
  if (!stream || endpoint.streamReply === undefined) return endpoint.wholeReply(call.response, options)
  // A gateway in another process has the same idle timeout.
  const keepAliveMs = reportsUsage ? Math.min(maxSilentMs, idleTimeoutMs / 3) : maxSilentMs
  return endpoint.streamReply(call.response, { ...options, includeUsage, keepAliveMs })
}
