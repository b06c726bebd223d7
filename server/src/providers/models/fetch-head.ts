// Sends one small GET to a provider and reads the head of a good response, or all of it, within one timeout and one
// maximum size.

import { GrowingBuffer } from '../../http/growing-buffer.ts'
import type { AnswerHeaders, Receiver } from '../../outbound/call.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'

export interface ProviderRequest {
  outbound: Pick<Outbound, 'open'>
  url: string
  headers: Record<string, string>
  guard: 'tenant' | 'operator'
  tenantId?: string
  timeoutMs: number
}

export interface ProviderHead {
  status: number
  contentType: string
  /** Empty for a good response; for an error, the first part of its body. */
  refusal: string
}

const refusalBytes = 16_384

/** The head is enough to check a key: a list of thousands of models is not downloaded. */
export async function fetchHead(request: ProviderRequest): Promise<ProviderHead> {
  const { promise, resolve, reject } = Promise.withResolvers<ProviderHead>()
  const refusal = new GrowingBuffer(refusalBytes)
  let head: Omit<ProviderHead, 'refusal'> = { status: 0, contentType: '' }
  const finish = () => resolve({ ...head, refusal: refusal.whole().toString() })

  const receiver: Receiver = {
    copiesWhatItKeeps: true,
    onResponse(status, headers) {
      head = { status, contentType: contentTypeOf(headers) }
      if (status >= 200 && status < 300) stop()
    },
    onData(piece) {
      if (!refusal.add(piece)) stop()
    },
    onEnd: finish,
    onFailure: reject,
  }
  function stop() {
    finish()
    call.abort()
  }

  const { outbound, url, headers, guard, tenantId, timeoutMs } = request
  const tenant = tenantId === undefined ? {} : { tenantId }
  const call = outbound.open(
    { url, method: 'GET', headers: { accept: 'application/json', ...headers }, guard, ...tenant },
    receiver,
  )
  const timer = setTimeout(() => call.abort(new OutboundFailure('timeout', { reason: 'total' })), timeoutMs)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

function contentTypeOf(headers: AnswerHeaders): string {
  const value = headers['content-type']
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
