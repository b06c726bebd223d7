// Writes the pieces of an answer as Anthropic's content blocks, one after the other: each block begins, gets its pieces
// and ends before the next one begins.

import type { Delta } from '../../domain/conversation/answer.ts'
import { findClaudeThinking } from '../../domain/conversation/claude-reasoning.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { ObjectEnd } from '../../domain/object-end.ts'

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

export class BlockWriter {
  #index = 0
  #open: OpenBlock | null = null
  /** Pieces of other blocks that came while a call was incomplete: some providers send calls side by side. */
  #waiting: Piece[] = []
  #callCount = 0

  get callCount(): number {
    return this.#callCount
  }

  /** Returns the events that can be sent now. */
  write(piece: Piece): JsonObject[] {
    if (this.#mustWait(piece)) {
      this.#waiting.push(piece)
      return []
    }
    const events = this.#writeNow(piece)
    if (this.#waiting.length === 0 || this.#isInCall()) return events
    const waiting = this.#waiting
    this.#waiting = []
    for (const next of waiting) events.push(...this.write(next))
    return events
  }

  /** Ends the last block; pieces that still wait are written block by block. */
  end(): JsonObject[] {
    const events = this.#close()
    const blocks = Map.groupBy(this.#waiting, piece => ('call' in piece ? piece.call : -1))
    this.#waiting = []
    for (const pieces of blocks.values()) {
      for (const piece of pieces) events.push(...this.#writeNow(piece))
      events.push(...this.#close())
    }
    return events
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
