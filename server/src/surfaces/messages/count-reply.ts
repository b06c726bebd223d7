// Writes the number of a prompt's tokens to the client.

import { usageHeader } from '../../call/inference-port.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import { replyJson } from '../../http/reply.ts'
import type { Reply, ReplyOptions } from '../surface.ts'

export function createCountReply(response: PlaneResponse, { reportsUsage }: ReplyOptions): Reply {
  let count = 0
  return {
    take(events) {
      for (const { deltas } of events) {
        for (const delta of deltas) if (delta.type === 'usage') count = delta.usage.promptTokens
      }
      return true
    },
    finish(tokens) {
      if (reportsUsage) response.setHeader(usageHeader, tokens)
      replyJson(response, 200, { input_tokens: count })
    },
    drop: () => void response.destroy(),
  }
}
