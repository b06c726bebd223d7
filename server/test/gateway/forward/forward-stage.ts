// The setup of the forwarding tests: a real listener that passes each request to the forwarder as an admitted call, and
// scripted upstreams, either correct (node:http) or misbehaving (plain sockets).
import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { connect, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  AdmittedCall,
  type CallContext,
  type CallRegistry,
  type CallSubject,
  type Ending,
} from '../../../src/call/admitted-call.ts'
import type { Verified } from '../../../src/domain/caller.ts'
import type { TokenEstimate } from '../../../src/domain/conversation/token-estimate.ts'
import { resolveForTier } from '../../../src/domain/resolved-config.ts'
import { initialLiveConfig } from '../../../src/domain/settings/live-config.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { createForwarder } from '../../../src/gateway/forward/forward.ts'
import { refuse } from '../../../src/gateway/refuse.ts'
import { gatewayErrors } from '../../../src/http/error-formats.ts'
import type { RequestHandler } from '../../../src/http/front/accept-request.ts'
import type { Incoming } from '../../../src/http/incoming.ts'
import { readBody } from '../../../src/http/read-body.ts'
import { createLog } from '../../../src/log/log.ts'
import { createOutbound, type Outbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { chatCompletions, chatCompletionsEndpoint } from '../../../src/surfaces/chat-completions/chat-completions.ts'
import { runListener } from '../../http/running-listener.ts'
import { listen } from '../../outbound/fixtures.ts'

export const promptEstimate = 7
export const tenantId = randomUUID()
export const projectId = randomUUID()
const live = initialLiveConfig(
  { id: projectId, tenant_id: tenantId, slug: 'shop' },
  defaultSettings('http://localhost'),
)

export interface CallRecord {
  requestId: string
  settled: number[]
  end: (reason: Ending) => void
  /** The client disconnected before its response was written. */
  hasLeft: boolean
}

interface StageOptions {
  internalSecret?: string | null
  timeoutMs?: number
  idleTimeoutMs?: number
  totalTimeoutMs?: number
  identity?: Partial<Verified>
  /** Wraps the outbound client. */
  before?: (outbound: Outbound) => Pick<Outbound, 'open'>
  /** Called at each settlement; may throw. */
  onSettle?: () => void
  /** By default there is none. */
  estimate?: TokenEstimate
}

function neverRead(): never {
  throw new Error('a gateway reads no further than the estimate')
}

/** The listener's port, and a record of every call that was forwarded. */
export async function runForwarder(inferenceUrl: string, options: StageOptions = {}) {
  const { internalSecret = null, timeoutMs = 60_000, idleTimeoutMs = 60_000, totalTimeoutMs = 60_000 } = options
  const { identity = {}, before = outbound => outbound, onSettle, estimate } = options
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: line => void lines.push(line) } })
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  const times = { timeoutMs, idleTimeoutMs, totalTimeoutMs }
  const port = createForwarder({ outbound: before(outbound), inferenceUrl, internalSecret, ...times, log })
  const calls: CallRecord[] = []
  const plane: RequestHandler = async (request, response, incoming) => {
    let call: AdmittedCall | null = null
    let reason: Ending | null = null
    const record: CallRecord = {
      requestId: incoming.id,
      settled: [],
      end(given) {
        reason = given
        call?.end(given)
      },
      hasLeft: false,
    }
    /** A reason that was set before the call was registered ends it at its registration. */
    const registry: CallRegistry = {
      add(added) {
        if (reason !== null) added.end(reason)
        return { member: added, at: 0 }
      },
      remove: () => undefined,
    }
    response.once('close', () => {
      record.hasLeft = !response.writableFinished
    })
    calls.push(record)
    try {
      const hasBody = request.method === 'POST'
      const body = hasBody ? await readBody(request, { maxBytes: 10 << 20, timeoutMs: 10_000 }) : null
      const verified = { ...verifiedFor(incoming), ...identity }
      const context = { account: null, registry, onCutOff: incoming.onCutOff, now: Date.now }
      const estimated = estimate === undefined ? null : { estimate, read: neverRead }
      call = new RecordedCall({ ...callParts, estimated, verified, request, response, body }, context, tokens => {
        record.settled.push(tokens)
        onSettle?.()
      })
      await port.answer(call)
    } catch (error) {
      refuse(log, response, error, { gateway: gatewayErrors, format: chatCompletions }, incoming.id)
    }
  }
  const listener = await runListener({ plane })
  onTestFinished(() => outbound.close())
  return { port: listener.port, listener: listener.listener, calls, lines, url: `http://127.0.0.1:${listener.port}` }
}

const callParts = {
  route: chatCompletionsEndpoint.pattern,
  format: chatCompletions,
  prompt: null,
  live,
  resolved: resolveForTier(live, undefined, 0),
  promptEstimate,
  reportsUsage: false,
}

/** Records all settlements, repeated ones too. */
class RecordedCall extends AdmittedCall {
  readonly #onSettle: (tokens: number) => void

  constructor(subject: CallSubject, context: CallContext, onSettle: (tokens: number) => void) {
    super(subject, context)
    this.#onSettle = onSettle
  }

  override settle(tokens: number): void {
    this.#onSettle(tokens)
    super.settle(tokens)
  }
}

function verifiedFor({ id }: Incoming): Verified {
  return {
    requestId: id,
    tenantId,
    projectId,
    userId: 'alice',
    role: 'user',
    tier: null,
    scopes: ['llm:invoke'],
    authProvider: 'service',
    sessionId: null,
    threadId: null,
  }
}

// ── Upstreams ────────────────────────────────────────────────────────────────────────────────────────────────────────

export async function startUpstream(listener: RequestListener): Promise<string> {
  return start(createServer(listener))
}

/** `onRequest` is called with the first complete head of a connection. What it writes is sent unchanged. */
export async function startRawUpstream(onRequest: (socket: Socket, head: string) => void): Promise<string> {
  return start(
    createNetServer(socket => {
      let text = ''
      socket.on('data', chunk => {
        text += chunk.toString('latin1')
        if (!text.includes('\r\n\r\n')) return
        const head = text
        text = ''
        onRequest(socket, head)
      })
    }),
  )
}

async function start(server: NetServer): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.once('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })
  return `http://127.0.0.1:${port}`
}

export const delta = (text: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`

// ── Clients ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export const completion = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })

export function requestText(headers: readonly string[] = [], body = completion, path = '/v1/chat/completions'): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: shop.localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

export interface StreamReader {
  socket: Socket
  /** Everything received so far. */
  text(): string
  /** The body received so far, without chunk framing. */
  body(): Buffer
  /** Whether the response's last chunk has arrived: a clean end. */
  isComplete(): boolean
  closed: Promise<void>
}

/** A client that shows how a response arrives, which an HTTP library would hide. */
export function openStream(port: number, text = requestText()): StreamReader {
  const received: Buffer[] = []
  const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'utf8')))
  socket.on('data', (chunk: Buffer) => void received.push(chunk))
  socket.on('error', () => undefined)
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  onTestFinished(() => void socket.destroy())
  const all = () => Buffer.concat(received)
  return {
    socket,
    text: () => all().toString('latin1'),
    body: () => readChunked(all()).body,
    isComplete: () => readChunked(all()).isComplete,
    closed,
  }
}

function readChunked(bytes: Buffer): { body: Buffer; isComplete: boolean } {
  const pieces: Buffer[] = []
  let at = bytes.indexOf('\r\n\r\n') + 4
  if (at < 4) return { body: Buffer.alloc(0), isComplete: false }
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) break
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (size === 0) return { body: Buffer.concat(pieces), isComplete: true }
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return { body: Buffer.concat(pieces), isComplete: false }
}

export async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('did not come true in time')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
