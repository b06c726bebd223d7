// Writes the pieces of an answer as Anthropic's content blocks, one after the other: each block begins, gets its pieces
// and ends before the next one begins.

import type { Delta } from '../../domain/conversation/answer.ts'
import { findClaudeThinking } from '../../domain/conversation/claude-reasoning.ts'
import { ObjectEnd } from '../../domain/conversation/object-end.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../domain/json-object.ts'

/** What stands in a block. */
export type Piece = Extract<
  Delta,
  { type: 'text' | 'refusal' | 'reasoning' | 'tool_call' | 'tool_arguments' | 'native' }
>

type OpenBlock =
  | { kind: 'text' }
  /** `written` is what the client got; `signed` what the signature stands for. */
  | { kind: 'thinking'; written: string; signed: string }
  | { kind: 'call'; call: number; end: ObjectEnd }

/**
 * Pieces of other blocks that came while a call was incomplete: some providers send calls side by side. Those of a call
 * wait together.
 */
class WaitingBlocks {
  #blocks: { call: number; pieces: Piece[] }[] = []
  #taken = 0
  readonly #calls = new Map<number, Piece[]>()

  add(piece: Piece): void {
    const call = 'call' in piece ? piece.call : noCall
    const last = this.#blocks.length > this.#taken ? this.#blocks.at(-1) : undefined
    const known = call === noCall ? (last?.call === noCall ? last.pieces : undefined) : this.#calls.get(call)
    if (known !== undefined) {
      known.push(piece)
      return
    }
    const pieces = [piece]
    this.#blocks.push({ call, pieces })
    if (call !== noCall) this.#calls.set(call, pieces)
  }

  take(): Piece[] | undefined {
    const next = this.#blocks[this.#taken]
    if (next === undefined) return undefined
    this.#taken++
    this.#calls.delete(next.call)
    if (this.#taken === this.#blocks.length) {
      this.#blocks = []
      this.#taken = 0
    }
    return next.pieces
  }
}

const noCall = -1

export class BlockWriter {
  #index = 0
  #open: OpenBlock | null = null
  readonly #waiting = new WaitingBlocks()
  #callCount = 0

  get callCount(): number {
    return this.#callCount
  }

  /** Returns the events that can be sent now. */
  write(piece: Piece): JsonObject[] {
    if (this.#mustWait(piece)) {
      this.#waiting.add(piece)
      return []
    }
    const events = this.#writeNow(piece)
    while (!this.#isInCall()) {
      const pieces = this.#waiting.take()
      if (pieces === undefined) break
      this.#writeBlock(pieces, events)
    }
    return events
  }

  /** Ends the last block; pieces that still wait are written block by block. */
  end(): JsonObject[] {
    const events = this.#close()
    for (let pieces = this.#waiting.take(); pieces !== undefined; pieces = this.#waiting.take()) {
      this.#writeBlock(pieces, events)
      for (const event of this.#close()) events.push(event)
    }
    return events
  }

  #writeBlock(pieces: readonly Piece[], events: JsonObject[]): void {
    for (const piece of pieces) for (const event of this.#writeNow(piece)) events.push(event)
  }

  #isInCall(): boolean {
    return this.#open?.kind === 'call' && !this.#open.end.isReached
  }

  #mustWait(piece: Piece): boolean {
    if (this.#open?.kind !== 'call' || this.#open.end.isReached) return false
    return !(piece.type === 'tool_arguments' && piece.call === this.#open.call)
  }

  #writeNow(piece: Piece): JsonObject[] {
    switch (piece.type) {
      case 'text':
      case 'refusal':
        return piece.text === '' ? [] : [...this.#openText(), this.#delta({ type: 'text_delta', text: piece.text })]
      case 'reasoning':
        return this.#writeReasoning(piece.text, piece.detail)
      case 'tool_call':
        return this.#startCall(piece)
      case 'tool_arguments':
        return this.#writeArguments(piece.call, piece.text)
      case 'native':
        return piece.format === 'messages' ? this.#writeNative(piece.value) : []
    }
  }

  #openText(): JsonObject[] {
    return this.#open?.kind === 'text' ? [] : this.#start({ kind: 'text' }, { type: 'text', text: '' })
  }

  #writeReasoning(text: string, detail: ReasoningDetail | undefined): JsonObject[] {
    const events = text === '' ? [] : this.#think(text)
    if (detail === undefined) return events
    const block = findClaudeThinking(detail)
    if (block?.type === 'redacted_thinking') return [...events, ...this.#writeWhole({ ...block })]
    if (this.#open?.kind === 'thinking') this.#open.signed += detail.text ?? ''
    return block === null ? events : [...events, ...this.#sign(detail.text ?? '', block.signature)]
  }

  #think(text: string): JsonObject[] {
    const events = this.#openThinking('')
    if (this.#open?.kind === 'thinking') this.#open.written += text
    return [...events, this.#delta({ type: 'thinking_delta', thinking: text })]
  }

  #openThinking(signed: string): JsonObject[] {
    if (this.#open?.kind === 'thinking') return []
    const block = { type: 'thinking', thinking: '', signature: '' }
    return this.#start({ kind: 'thinking', written: '', signed }, block)
  }

  /** The provider rejects changed thinking with its signature, so text with restored values goes without one. */
  #sign(text: string, signature: string): JsonObject[] {
    const events = this.#openThinking(text)
    const isUnchanged = this.#open?.kind === 'thinking' && this.#open.written === this.#open.signed
    if (isUnchanged) events.push(this.#delta({ type: 'signature_delta', signature }))
    return [...events, ...this.#close()]
  }

  #startCall({ call, id, name, arguments: text }: Extract<Piece, { type: 'tool_call' }>): JsonObject[] {
    this.#callCount++
    const block = { type: 'tool_use', id, name, input: {} }
    const events = this.#start({ kind: 'call', call, end: new ObjectEnd() }, block)
    return [...events, ...this.#writeArguments(call, text)]
  }

  #writeArguments(call: number, text: string): JsonObject[] {
    const open = this.#open
    if (text === '' || open?.kind !== 'call' || open.call !== call) return []
    open.end.push(text)
    return [this.#delta({ type: 'input_json_delta', partial_json: text })]
  }

  #writeNative(value: JsonObject): JsonObject[] {
    if (value['type'] === 'citations_delta') return [...this.#openText(), this.#delta(value)]
    return this.#writeWhole(value)
  }

  #writeWhole(block: JsonObject): JsonObject[] {
    const events = this.#close()
    events.push({ type: 'content_block_start', index: this.#index, content_block: block })
    events.push({ type: 'content_block_stop', index: this.#index++ })
    return events
  }

  #start(open: OpenBlock, block: JsonObject): JsonObject[] {
    const events = this.#close()
    this.#open = open
    events.push({ type: 'content_block_start', index: this.#index, content_block: block })
    return events
  }

  #close(): JsonObject[] {
    if (this.#open === null) return []
    this.#open = null
    return [{ type: 'content_block_stop', index: this.#index++ }]
  }

  #delta(delta: JsonObject): JsonObject {
    return { type: 'content_block_delta', index: this.#index, delta }
  }
}
