// Sends texts to an external recogniser of personal data, in the request format of Presidio's analyzer. Caches its
// matches by text. Must not log or keep any text.

import type { Metrics } from '../../domain/metrics.ts'
import type { EntityName } from '../../domain/settings/settings.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Finding } from '../finding.ts'
import { createKnownTexts } from '../known-texts.ts'
import { readRecognised } from './read-recognised.ts'
import { RecogniserFailure, type RecogniserProblem } from './recogniser-failure.ts'

export interface ExternalRecogniser {
  /** Null if neither the operator nor the project has named a recogniser. */
  open(subject: RecognisedRequest): Recognition | null
}

interface RecognisedRequest {
  /** The project's own recogniser, which replaces the operator's. */
  projectUrl: string | null
  project: { tenantId: string; projectId: string }
  /** `name` identifies them. */
  rules: { wanted: ReadonlySet<EntityName>; name: string }
  metrics: Pick<Metrics, 'recogniserCalled'>
}

/** The texts of one request. */
export interface Recognition {
  /**
   * Starts the call for a text unless its matches are known; calls of one request run side by side. Never rejects:
   * after a failure there are no matches, and `failure` is set.
   */
  find(text: string): Promise<readonly Finding[]>
  readonly failure: RecogniserFailure | null
}

interface RecogniserOptions {
  outbound: Pick<Outbound, 'send'>
  /** The operator's recogniser. */
  url: string | null
  /** How many results it caches. */
  maxKnown: number
  /** From the first call of a request to the end of its last one. */
  timeoutMs?: number
}

const usualTimeoutMs = 300
const maxCallsAtOnce = 4
/** The calls that a request with more texts has made are cached, so that a retry needs fewer. */
const maxCalls = 200
/** Some thousand matches. Parsing is not split into slices, so it holds the thread: at most about 10 ms. */
const maxBytes = 256 * 1024
const language = 'en'
const headers = { 'content-type': 'application/json' }

export function createExternalRecogniser(options: RecogniserOptions): ExternalRecogniser {
  // Short texts too: scanning them again is cheap, but a call is not.
  const known = createKnownTexts<readonly Finding[]>(options.maxKnown, finds => finds.length, 1)
  return {
    open(subject) {
      const { projectUrl, project, rules } = subject
      const base = projectUrl ?? options.url
      if (base === null) return null
      const { tenantId, projectId } = project
      const url = analyzeAddress(base)
      // The cache is separate for each project, so that its speed does not reveal what others have sent.
      const revision = JSON.stringify([tenantId, projectId, url, rules.name])
      const guard = projectUrl === null ? ({ guard: 'operator' } as const) : ({ guard: 'tenant', tenantId } as const)
      return new RequestRecognition({
        find: text => known.find(text, revision),
        keep: (text, finds) => known.keep(text, revision, finds),
        send: (body, timeoutMs) =>
          options.outbound.send({ url, method: 'POST', headers, body, ...guard, timeoutMs, maxBytes }),
        timeoutMs: options.timeoutMs ?? usualTimeoutMs,
        subject,
      })
    },
  }
}

/** The address names the analyzer or its endpoint. */
function analyzeAddress(base: string): string {
  return base.endsWith('/analyze') ? base : `${base.replace(/\/+$/, '')}/analyze`
}

interface RecognitionParts {
  find(text: string): readonly Finding[] | undefined
  keep(text: string, finds: readonly Finding[]): void
  send(body: string, timeoutMs: number): ReturnType<Outbound['send']>
  timeoutMs: number
  subject: RecognisedRequest
}

class RequestRecognition implements Recognition {
  readonly #parts: RecognitionParts
  readonly #started = new Map<string, Promise<readonly Finding[]>>()
  readonly #waiting: (() => void)[] = []
  #running = 0
  #endsAt = 0
  /** No further call is made. */
  #isDown = false
  failure: RecogniserFailure | null = null

  constructor(parts: RecognitionParts) {
    this.#parts = parts
  }

  find(text: string): Promise<readonly Finding[]> {
    // Presidio rejects an empty text.
    if (!/\S/.test(text)) return nothing
    const known = this.#parts.find(text)
    if (known !== undefined) return Promise.resolve(known)
    const started = this.#started.get(text)
    if (started !== undefined) return started
    if (this.#started.size === maxCalls) return this.#refuse('too_many_texts')
    if (this.#isDown) return nothing
    if (this.#endsAt === 0) this.#endsAt = performance.now() + this.#parts.timeoutMs
    const starting = this.#callInTurn(text)
    this.#started.set(text, starting)
    return starting
  }

  async #callInTurn(text: string): Promise<readonly Finding[]> {
    if (this.#running < maxCallsAtOnce) this.#running += 1
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return this.#isDown ? [] : await this.#call(text)
    } finally {
      // The place is handed over and not freed.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  async #call(text: string): Promise<readonly Finding[]> {
    const { rules, metrics } = this.#parts.subject
    const startedAt = performance.now()
    try {
      const { status, body } = await this.#send(JSON.stringify({ text, language }))
      if (status !== 200) throw new RecogniserFailure('status')
      const finds = readRecognised(body.toString(), text, rules.wanted)
      this.#parts.keep(text, finds)
      metrics.recogniserCalled('answered', performance.now() - startedAt)
      return finds
    } catch (error) {
      const failure = failureOf(error)
      metrics.recogniserCalled(failure.problem, performance.now() - startedAt)
      this.failure ??= failure
      this.#isDown = true
      return []
    }
  }

  async #send(body: string): ReturnType<Outbound['send']> {
    const send = () => this.#parts.send(body, Math.max(1, this.#endsAt - performance.now()))
    try {
      return await send()
    } catch (error) {
      // The recogniser had closed an idle connection before the request arrived.
      const isStale = error instanceof OutboundFailure && error.kind === 'reset' && !error.connected
      if (!isStale) throw error
      return await send()
    }
  }

  /** Calls that have started go on. */
  #refuse(problem: RecogniserProblem): Promise<readonly Finding[]> {
    if (this.failure === null) this.#parts.subject.metrics.recogniserCalled(problem, 0)
    this.failure ??= new RecogniserFailure(problem)
    return nothing
  }
}

const nothing: Promise<readonly Finding[]> = Promise.resolve([])

function failureOf(error: unknown): RecogniserFailure {
  if (error instanceof RecogniserFailure) return error
  if (!(error instanceof OutboundFailure)) return new RecogniserFailure('internal', { cause: error })
  const problem = error.kind === 'timeout' || error.kind === 'blocked' ? error.kind : 'network'
  return new RecogniserFailure(problem, { cause: error })
}
