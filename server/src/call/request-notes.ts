// What is known of a request while it runs, for its row in the request log. The steps that know something note it here;
// a call of a project without a request log has none.

import type { AnswerEvent } from '../domain/conversation/answer.ts'
import type { InferenceRequest } from '../domain/conversation/inference-request.ts'
import type { GuardrailOutcome, TimelineStep } from '../domain/requests/request-record.ts'

interface NotedUsage {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
  readonly cost: number
}

interface RequestTimes {
  /** Epoch ms. */
  receivedAt: number
  bodyAt: number
  admittedAt: number
}

export class RequestNotes {
  readonly isPlayground: boolean
  readonly #times: RequestTimes
  readonly #now: () => number
  /** As the client wrote it. */
  modelAsked: string | null = null
  isStream = false
  /** What was asked last. */
  model: string | null = null
  provider: string | null = null
  finishReason: string | null = null
  usage: NotedUsage | null = null
  readonly outcomes: GuardrailOutcome[] = []
  attempts = 0
  #firstTokenMs: number | null = null
  #guardedFrom: number | null = null
  readonly #steps: { name: TimelineStep['name']; start: number; end: number; detail: TimelineStep['detail'] }[] = []

  constructor(times: RequestTimes, now: () => number, isPlayground = false) {
    this.#times = times
    this.#now = now
    this.isPlayground = isPlayground
  }

  get receivedAt(): number {
    return this.#times.receivedAt
  }

  get firstTokenMs(): number | null {
    return this.#firstTokenMs
  }

  beginGuardrails(): void {
    this.#guardedFrom = this.#sinceReceipt()
  }

  endGuardrails(): void {
    const start = this.#guardedFrom
    if (start !== null) this.#add('guardrails', start, this.#sinceReceipt(), null)
  }

  noteRequest({ model, prompt }: InferenceRequest): void {
    this.modelAsked = model
    this.isStream = prompt.stream
  }

  noteTarget({ modelId, provider }: { readonly modelId: string; readonly provider: string }): void {
    this.model = modelId
    this.provider = provider
  }

  beginAttempt(model: string): void {
    this.attempts++
    const at = this.#sinceReceipt()
    this.#add('attempt', at, at, { model, error: null })
  }

  /** `error`: why the provider did not answer. */
  endAttempt(error: string | null): void {
    const last = this.#steps.at(-1)
    if (last?.name !== 'attempt') return
    last.end = this.#sinceReceipt()
    if (error !== null && last.detail !== null) last.detail = { ...last.detail, error }
  }

  /** Of an answer, as the provider sends them. A whole one has no first token: it comes at once. */
  noteEvents(events: readonly AnswerEvent[]): void {
    if (this.isStream) this.#firstTokenMs ??= this.#sinceReceipt()
    if (this.finishReason !== null) return
    for (const { deltas } of events) {
      for (const delta of deltas) if (delta.type === 'finish') this.finishReason ??= delta.reason
    }
  }

  /** The request is over. */
  timeline(latencyMs: number): TimelineStep[] {
    const { receivedAt, bodyAt, admittedAt } = this.#times
    const first = this.#firstTokenMs
    return [
      { name: 'body', start: 0, end: bodyAt - receivedAt, detail: null },
      { name: 'admission', start: bodyAt - receivedAt, end: admittedAt - receivedAt, detail: null },
      ...this.#steps,
      ...(first === null ? [] : [{ name: 'first_token' as const, start: first, end: first, detail: null }]),
      { name: 'end', start: latencyMs, end: latencyMs, detail: null },
    ]
  }

  #add(name: TimelineStep['name'], start: number, end: number, detail: TimelineStep['detail']): void {
    this.#steps.push({ name, start, end, detail })
  }

  #sinceReceipt(): number {
    return this.#now() - this.#times.receivedAt
  }
}
