// Follows one completion at its provider and records the outcome of each attempt in metrics and trace.
import type { AnswerEnd, CallWatch, WatchedCall } from '../domain/metrics.ts'
import type { Instruments } from './instruments.ts'
import type { AttemptSpan, Tracer } from './tracer.ts'

/** Ends that our side caused, which do not measure the provider's duration. */
const ours: ReadonlySet<AnswerEnd> = new Set<AnswerEnd>([
  'client_gone',
  'service_disabled',
  'user_blocked',
  'token_revoked',
  'server_shutting_down',
  'guardrail',
  'internal',
])

export class ProviderWatch implements CallWatch {
  readonly #instruments: Instruments
  readonly #tracer: Tracer | null
  readonly #request: object
  readonly #call: WatchedCall
  #span: AttemptSpan | null = null
  #startedAt = 0
  #answeredAt: number | null = null
  #end: AnswerEnd | null = null
  #endedAt = 0

  constructor(dependencies: { instruments: Instruments; tracer: Tracer | null }, request: object, call: WatchedCall) {
    this.#instruments = dependencies.instruments
    this.#tracer = dependencies.tracer
    this.#request = request
    this.#call = call
  }

  attemptStarted(): void {
    this.#startedAt = performance.now()
    this.#answeredAt = null
    this.#span = this.#tracer?.startAttemptSpan(this.#request, this.#call) ?? null
  }

  attemptAnswered(): void {
    const { provider, isStream } = this.#call
    this.#answeredAt = performance.now()
    if (isStream) this.#instruments.firstToken.observe((this.#answeredAt - this.#startedAt) / 1_000, provider)
  }

  attemptFailed(end: AnswerEnd, status: number | null): void {
    this.#count(end, performance.now())
    this.#span?.end({ error: end, status, firstMs: null, tokens: null })
    this.#span = null
  }

  answerEnded(end: AnswerEnd): void {
    if (this.#answeredAt === null || this.#end !== null) return
    this.#end = end
    this.#endedAt = performance.now()
    this.#count(end, this.#endedAt)
  }

  usageRecorded(tokens: { promptTokens: number; completionTokens: number }): void {
    const { provider, endpoint, isStream } = this.#call
    const { interToken, tokens: total, answerTokens } = this.#instruments
    const { promptTokens, completionTokens } = tokens
    total.add(promptTokens, provider, 'input', endpoint)
    total.add(completionTokens, provider, 'output', endpoint)
    answerTokens.observe(promptTokens, provider, 'input', endpoint)
    answerTokens.observe(completionTokens, provider, 'output', endpoint)
    if (this.#answeredAt === null || this.#end === null) return
    if (isStream && completionTokens > 1 && !ours.has(this.#end)) {
      interToken.observe((this.#endedAt - this.#answeredAt) / 1_000 / (completionTokens - 1), provider)
    }
    const error = this.#end === 'complete' ? null : this.#end
    this.#span?.end({ error, status: 200, firstMs: this.#answeredAt - this.#startedAt, tokens })
    this.#span = null
  }

  #count(end: AnswerEnd, now: number): void {
    const { provider, endpoint } = this.#call
    this.#instruments.providerTries.add(1, provider, end)
    if (!ours.has(end)) this.#instruments.providerDuration.observe((now - this.#startedAt) / 1_000, provider, endpoint)
  }
}
