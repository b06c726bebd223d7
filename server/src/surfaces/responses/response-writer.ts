// Turns the deltas of an answer into a response: into the events of a stream as they come, and into the whole object.

import type { Delta, FinishReason, Origin, Usage } from '../../domain/conversation/answer.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import { isResponseId } from '../../domain/conversation/response-id.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import {
  FunctionCallItem,
  type ItemStatus,
  MessageItem,
  NativeItem,
  type OutputEvent,
  type OutputItem,
  ReasoningItem,
} from './output-items.ts'
import { idOfDetail } from './reasoning-items.ts'
import { type ResponseIdentity, type ResponseState, reasonOnWire, renderResponse } from './response-object.ts'

export interface WriterOptions {
  identity: ResponseIdentity
  /** What the answer repeats of the request. */
  echo: JsonObject
  /** The client wants what the provider needs back to continue its reasoning. */
  sealsReasoning: boolean
}

interface PlacedItem {
  item: OutputItem
  index: number
  status: ItemStatus
}

interface Opened<Item> {
  item: Item
  events: OutputEvent[]
}

/** A response has one choice, so choices are not told apart. */
export class ResponseWriter {
  readonly #options: WriterOptions
  #identity: ResponseIdentity
  #hasBegun = false
  readonly #items = new Map<OutputItem, PlacedItem>()
  readonly #calls = new Map<number, FunctionCallItem>()
  /** Calls whose arguments have ended, and that are not closed yet. */
  #whole: FunctionCallItem[] = []
  #message: MessageItem | null = null
  #reasoning: ReasoningItem | null = null
  #finish: FinishReason | null = null
  #usage: Usage | null = null

  constructor(options: WriterOptions) {
    this.#options = options
    this.#identity = options.identity
  }

  /** Returns the events of this delta. */
  write(delta: Delta): OutputEvent[] {
    switch (delta.type) {
      case 'origin':
        this.noteOrigin(delta)
        return []
      case 'usage':
        this.#usage = delta.usage
        return []
      case 'error':
      case 'result':
        return []
      case 'fields':
        return annotationsOf(delta.fields).flatMap(annotation => this.#message?.annotate(annotation) ?? [])
      default:
        return [...this.#begin(), ...this.#writePiece(delta)]
    }
  }

  /** Takes the names of the answer. */
  noteOrigin({ id, model, createdSeconds }: Origin): void {
    this.#identity = {
      // Providers of other formats name their answers otherwise.
      id: id !== null && isResponseId(id) ? id : this.#identity.id,
      model: model ?? this.#identity.model,
      createdSeconds: createdSeconds ?? this.#identity.createdSeconds,
    }
  }

  /** The events that end a complete answer. */
  end(): OutputEvent[] {
    const response = this.response()
    return [...this.#begin(), { type: `response.${String(response['status'])}`, response }]
  }

  /** The event of an answer that has failed. */
  fail(error: NonNullable<ResponseState['error']>): OutputEvent {
    return { type: 'response.failed', response: this.#render({ status: 'failed', error }) }
  }

  /** The whole answer. */
  response(): JsonObject {
    const reason = this.#finish === null ? undefined : reasonOnWire(this.#finish)
    return this.#render(reason === undefined ? { status: 'completed' } : { status: 'incomplete', reason })
  }

  #render(state: Omit<ResponseState, 'output' | 'usage'>): JsonObject {
    const output: JsonObject[] = []
    for (const { item, status } of this.#items.values()) {
      output.push(item.render(status === 'in_progress' ? 'incomplete' : status))
    }
    return renderResponse(this.#identity, this.#options.echo, { ...state, output, usage: this.#usage })
  }

  #begin(): OutputEvent[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    const response = this.#render({ status: 'in_progress' })
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ]
  }

  #writePiece(delta: Exclude<Delta, { type: 'origin' | 'usage' | 'error' | 'result' | 'fields' }>): OutputEvent[] {
    switch (delta.type) {
      case 'text':
      case 'refusal': {
        const { item, events } = this.#openMessage()
        return [...events, ...item.add(delta.type, delta.text, delta.logprobs)]
      }
      case 'reasoning': {
        // Nothing that the client gets.
        if (delta.text === '' && this.#reasoning === null && !this.#options.sealsReasoning) return []
        const { item, events } = this.#openReasoning(delta.detail)
        return [...events, ...item.add(delta.text, delta.detail)]
      }
      case 'tool_call': {
        const { item, events } = this.#openCall(delta)
        return [...events, ...this.#argue(item, delta.arguments)]
      }
      case 'tool_arguments':
        return this.#argue(this.#calls.get(delta.call), delta.text)
      case 'native':
        return delta.format === 'responses' ? this.#addNative(delta.value) : []
      case 'finish':
        this.#finish = delta.reason
        return this.#closeAll(reasonOnWire(delta.reason) === undefined ? 'completed' : 'incomplete')
    }
  }

  #openMessage(): Opened<MessageItem> {
    if (this.#message !== null) return { item: this.#message, events: [] }
    const before = this.#closeTexts()
    const item = new MessageItem(this.#nextPlace('msg'))
    this.#message = item
    return { item, events: [...before, ...this.#add(item)] }
  }

  #openReasoning(detail: ReasoningDetail | undefined): Opened<ReasoningItem> {
    const id = detail === undefined ? null : idOfDetail(detail)
    if (this.#reasoning !== null && !this.#reasoning.isAnother(id)) return { item: this.#reasoning, events: [] }
    const before = this.#closeTexts()
    const place = this.#nextPlace('rs')
    const item = new ReasoningItem(id === null ? place : { ...place, id }, this.#options.sealsReasoning)
    this.#reasoning = item
    return { item, events: [...before, ...this.#add(item)] }
  }

  /** Calls of one answer may come in turns, so a call stays open until its arguments are whole. */
  #openCall({ call, id, name }: Extract<Delta, { type: 'tool_call' }>): Opened<FunctionCallItem> {
    const before = this.#closeTexts()
    const whole = this.#whole
    this.#whole = []
    for (const earlier of whole) for (const event of this.#close(earlier)) before.push(event)
    const item = new FunctionCallItem(this.#nextPlace('fc'), { callId: id, name })
    this.#calls.set(call, item)
    return { item, events: [...before, ...this.#add(item)] }
  }

  #argue(item: FunctionCallItem | undefined, text: string): OutputEvent[] {
    if (item === undefined) return []
    const wasWhole = item.isWhole
    const events = item.add(text)
    if (item.isWhole && !wasWhole) this.#whole.push(item)
    return events
  }

  #addNative(value: JsonObject): OutputEvent[] {
    const before = this.#closeTexts()
    const item = new NativeItem(value)
    return [...before, ...this.#add(item), ...this.#close(item)]
  }

  #nextPlace(prefix: string): { id: string; index: number } {
    const index = this.#items.size
    return { id: `${prefix}_${this.#options.identity.id.replace(/^resp_/, '')}${index}`, index }
  }

  #add(item: OutputItem): OutputEvent[] {
    const index = this.#items.size
    this.#items.set(item, { item, index, status: 'in_progress' })
    return [{ type: 'response.output_item.added', output_index: index, item: item.render('in_progress') }]
  }

  #closeTexts(): OutputEvent[] {
    const texts = [this.#reasoning, this.#message]
    this.#reasoning = null
    this.#message = null
    return texts.flatMap(item => (item === null ? [] : this.#close(item)))
  }

  #closeAll(status: ItemStatus): OutputEvent[] {
    return [...this.#items.keys()].flatMap(item => this.#close(item, status))
  }

  /** No-op for an item that is closed. */
  #close(item: OutputItem, status: ItemStatus = 'completed'): OutputEvent[] {
    const placed = this.#items.get(item)
    if (placed?.status !== 'in_progress') return []
    placed.status = status
    const done = { type: 'response.output_item.done', output_index: placed.index, item: item.render(status) }
    return [...item.close(), done]
  }
}

/** Chat completions put the fields of a citation into a member that is named after its type. */
function annotationsOf({ annotations }: JsonObject): JsonObject[] {
  if (!Array.isArray(annotations)) return []
  return annotations.filter(isJsonObject).map(annotation => {
    const { type } = annotation
    const inner = typeof type === 'string' ? annotation[type] : undefined
    return isJsonObject(inner) ? { type, ...inner } : annotation
  })
}
