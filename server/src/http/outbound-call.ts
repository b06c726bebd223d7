// One request on one pool: undici's callbacks turned into ours. Every answer that is a redirect or compressed is a
// failure here, for small exchanges and streams alike. Knows no address rules.
import { subscribe } from 'node:diagnostics_channel'
import type { Dispatcher } from 'undici'
import { exchangeFailure, OutboundFailure } from './outbound-failure.ts'

export type AnswerHeaders = Record<string, string | string[] | undefined>

/** Who takes the answer. onFailure or onEnd comes last, and once. */
export interface Receiver {
  onResponse(status: number, headers: AnswerHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: OutboundFailure): void
}

export interface Call {
  /** Ends the call at once; the receiver hears of it as a failure unless it had ended. */
  abort(failure?: OutboundFailure): void
  pause(): void
  resume(): void
}

/** The call whose request is being written. undici names the socket right after it has said that a request starts. */
let starting: { isReused: boolean } | null = null
// On the socket itself: in a WeakSet each entry would outlive the collections that it should die in.
const used = Symbol('carried a request')

subscribe('undici:client:sendHeaders', message => {
  const { socket } = message as { socket: { [used]?: true } }
  if (starting !== null) starting.isReused = socket[used] === true
  starting = null
  socket[used] = true
})

export function startCall(pool: Dispatcher, options: Dispatcher.DispatchOptions, receiver: Receiver): Call {
  let controller: Dispatcher.DispatchController | undefined
  let failure: OutboundFailure | undefined
  let ended = false
  let hasAnswer = false
  const connection = { isReused: false }

  const fail = (reason: OutboundFailure) => {
    if (ended || failure) return
    failure = reason
    controller?.abort(reason)
    receiver.onFailure(reason)
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      // Aborted while it waited for a connection: not a byte leaves.
      if (failure) started.abort(failure)
      else starting = connection
    },
    onResponseStart(_controller, status, headers) {
      if (failure) return
      hasAnswer = true
      if (status < 200) return
      const refusal = refuseAnswer(status, headers)
      if (refusal) fail(refusal)
      else receiver.onResponse(status, headers)
    },
    onResponseData(_controller, chunk) {
      if (!failure) receiver.onData(chunk)
    },
    onResponseEnd() {
      if (failure) return
      ended = true
      receiver.onEnd()
    },
    onResponseError(_controller, error) {
      const reason = exchangeFailure(error)
      // Its far end may well have closed it before anything came: whoever may try again then may do so now.
      const isStale = reason.kind === 'reset' && connection.isReused && !hasAnswer
      fail(isStale ? new OutboundFailure('reset', { reason: 'stale', connected: false }) : reason)
    },
  }

  pool.dispatch(options, handler)
  return {
    abort: (reason = new OutboundFailure('aborted')) => fail(reason),
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
  }
}

function refuseAnswer(status: number, headers: AnswerHeaders): OutboundFailure | null {
  // Never followed: the request carries a key, and the next host is not the one it was meant for.
  if (status >= 300 && status < 400) return new OutboundFailure('redirect', { reason: String(status) })
  // We ask for identity; what comes compressed anyway could unfold without end.
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity') return new OutboundFailure('protocol', { reason: 'content_encoding' })
  return null
}
