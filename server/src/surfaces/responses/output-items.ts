// The items of a response's output while they grow: each renders its events and itself.

import type { Logprobs } from '../../domain/conversation/answer.ts'
import { ObjectEnd } from '../../domain/conversation/object-end.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import { KeptList, KeptString } from '../../domain/json/kept-json.ts'
import { isJsonList } from '../../domain/json/lazy-list.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { packDetails } from './reasoning-items.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** An event without its sequence number. */
export interface OutputEvent extends JsonObject {
  type: string
}

/** Where an item is in the output. */
interface Place {
  id: string
  index: number
}

export interface OutputItem {
  /** As it stands; the events of its beginning show it empty. */
  render(status: ItemStatus): JsonObject
  /** The events that end what is still open in it. */
  close(): OutputEvent[]
}

interface ContentPart {
  kind: 'text' | 'refusal'
  text: KeptString
  logprobs: KeptList
  annotations: JsonObject[]
}

/** The model's message: a text or a refusal, or one after the other. */
export class MessageItem implements OutputItem {
  readonly #place: Place
  readonly #parts: ContentPart[] = []

  constructor(place: Place) {
    this.#place = place
  }

  add(kind: ContentPart['kind'], text: string, logprobs: Logprobs | undefined): OutputEvent[] {
    const events: OutputEvent[] = []
    let part = this.#parts.at(-1)
    if (part?.kind !== kind) {
      events.push(...this.close())
      part = { kind, text: new KeptString(), logprobs: new KeptList(), annotations: [] }
      this.#parts.push(part)
      // Rendered empty: the part grows before this event is written.
      const empty: ContentPart = { kind, text: new KeptString(), logprobs: new KeptList(), annotations: [] }
      events.push(this.#event('response.content_part.added', { part: renderPart(empty) }))
    }
    part.text.add(text)
    if (kind === 'refusal') return [...events, this.#event('response.refusal.delta', { delta: text })]
    const tokens = isJsonList(logprobs?.content) ? logprobs.content : []
    part.logprobs.add(tokens)
    return [...events, this.#event('response.output_text.delta', { delta: text, logprobs: tokens })]
  }

  annotate(annotation: JsonObject): OutputEvent[] {
    const part = this.#parts.at(-1)
    if (part?.kind !== 'text') return []
    part.annotations.push(annotation)
    const fields = { annotation, annotation_index: part.annotations.length - 1 }
    return [this.#event('response.output_text.annotation.added', fields)]
  }

  close(): OutputEvent[] {
    const part = this.#parts.at(-1)
    if (part === undefined) return []
    const { kind, text, logprobs } = part
    const said =
      kind === 'refusal'
        ? this.#event('response.refusal.done', { refusal: text })
        : this.#event('response.output_text.done', { text, logprobs })
    return [said, this.#event('response.content_part.done', { part: renderPart(part) })]
  }

  render(status: ItemStatus): JsonObject {
    const content = status === 'in_progress' ? [] : this.#parts.map(renderPart)
    return { id: this.#place.id, type: 'message', status, role: 'assistant', content }
  }

  #event(type: string, fields: JsonObject): OutputEvent {
    const { id, index } = this.#place
    return { type, item_id: id, output_index: index, content_index: this.#parts.length - 1, ...fields }
  }
}

function renderPart({ kind, text, logprobs, annotations }: ContentPart): JsonObject {
  if (kind === 'refusal') return { type: 'refusal', refusal: text }
  return { type: 'output_text', text, annotations: [...annotations], logprobs }
}

/** What the model thought, as a summary of one part: all providers but OpenAI send it as one text. */
export class ReasoningItem implements OutputItem {
  readonly #place: Place
  readonly #isSealed: boolean
  readonly #details: ReasoningDetail[] = []
  #summary: KeptString | null = null

  /** `isSealed`: the client wants what the provider needs back. */
  constructor(place: Place, isSealed: boolean) {
    this.#place = place
    this.#isSealed = isSealed
  }

  /** OpenAI names each item of its own reasoning. */
  isAnother(id: string | null): boolean {
    return id !== null && id !== this.#place.id
  }

  add(text: string, detail: ReasoningDetail | undefined): OutputEvent[] {
    if (detail !== undefined) this.#details.push(detail)
    if (text === '') return []
    const events: OutputEvent[] = []
    if (this.#summary === null) {
      this.#summary = new KeptString()
      events.push(this.#event('response.reasoning_summary_part.added', { part: summaryPart('') }))
    }
    this.#summary.add(text)
    return [...events, this.#event('response.reasoning_summary_text.delta', { delta: text })]
  }

  close(): OutputEvent[] {
    if (this.#summary === null) return []
    const text = this.#summary
    return [
      this.#event('response.reasoning_summary_text.done', { text }),
      this.#event('response.reasoning_summary_part.done', { part: summaryPart(text) }),
    ]
  }

  render(status: ItemStatus): JsonObject {
    const summary = status === 'in_progress' || this.#summary === null ? [] : [summaryPart(this.#summary)]
    const item = { id: this.#place.id, type: 'reasoning', summary }
    if (!this.#isSealed) return item
    return { ...item, encrypted_content: status === 'in_progress' ? null : packDetails(this.#details) }
  }

  #event(type: string, fields: JsonObject): OutputEvent {
    const { id, index } = this.#place
    return { type, item_id: id, output_index: index, summary_index: 0, ...fields }
  }
}

const summaryPart = (text: string | KeptString) => ({ type: 'summary_text', text })

interface CallStart {
  /** The call's own id, which its result names. */
  callId: string
  name: string
}

export class FunctionCallItem implements OutputItem {
  readonly #place: Place
  readonly #start: CallStart
  readonly #arguments = new KeptString()
  readonly #end = new ObjectEnd()

  constructor(place: Place, start: CallStart) {
    this.#place = place
    this.#start = start
  }

  add(text: string): OutputEvent[] {
    if (text === '') return []
    this.#arguments.add(text)
    this.#end.push(text)
    return [this.#event('response.function_call_arguments.delta', { delta: text })]
  }

  /** Whether no further argument may follow. */
  get isWhole(): boolean {
    return this.#end.isReached
  }

  close(): OutputEvent[] {
    return [this.#event('response.function_call_arguments.done', { arguments: this.#arguments })]
  }

  render(status: ItemStatus): JsonObject {
    const text = status === 'in_progress' ? '' : this.#arguments
    const { callId, name } = this.#start
    return { id: this.#place.id, type: 'function_call', status, call_id: callId, name, arguments: text }
  }

  #event(type: string, fields: JsonObject): OutputEvent {
    const { id, index } = this.#place
    return { type, item_id: id, output_index: index, ...fields }
  }
}

/** An item of OpenAI's own kind, which is complete when it comes. */
export class NativeItem implements OutputItem {
  readonly #value: JsonObject

  constructor(value: JsonObject) {
    this.#value = value
  }

  close(): OutputEvent[] {
    return []
  }

  render(): JsonObject {
    return this.#value
  }
}
