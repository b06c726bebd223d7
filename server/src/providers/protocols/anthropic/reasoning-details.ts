// Sends Anthropic's thinking blocks to a client and back: each as one whole detail, so that a client can return it and
// the provider finds its signature intact.

import type { ReasoningDetail } from '../../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../../domain/json-object.ts'

const format = 'anthropic-claude-v1'

/** `index` is the block's position in the answer. */
export function signedDetail(
  { text, signature }: { text: string; signature: string },
  index: unknown,
): ReasoningDetail {
  return { type: 'reasoning.text', text, signature, format, ...placed(index) }
}

/** Thinking that only the provider can read. */
export function redactedDetail(data: string, index: unknown): ReasoningDetail {
  return { type: 'reasoning.encrypted', data, format, ...placed(index) }
}

function placed(index: unknown): { index?: number } {
  return typeof index === 'number' ? { index } : {}
}

interface ThinkingBlocks {
  /** Blocks before the answer's text, and blocks after it. */
  before: JsonObject[]
  after: JsonObject[]
}

/** The blocks that the provider will recognise: its own, and signed. */
export function thinkingBlocks(details: readonly ReasoningDetail[]): ThinkingBlocks {
  const blocks: ThinkingBlocks = { before: [], after: [] }
  for (const detail of joined(details)) {
    const block = toBlock(detail)
    if (block === null) continue
    const isBehind = blocks.after.length > 0 || (detail.index ?? 0) > blocks.before.length
    blocks[isBehind ? 'after' : 'before'].push(block)
  }
  return blocks
}

export function hasSignedThinking(details: readonly ReasoningDetail[]): boolean {
  return joined(details).some(detail => toBlock(detail) !== null)
}

/** Clients that collect streams return the pieces of one block separately. Only the fields of a block are kept. */
function joined(details: readonly ReasoningDetail[]): ReasoningDetail[] {
  const whole: ReasoningDetail[] = []
  for (const detail of details) {
    const last = whole.at(-1)
    const isPiece =
      last !== undefined &&
      last.type === 'reasoning.text' &&
      detail.type === last.type &&
      detail.index === last.index &&
      !last.signature
    if (isPiece) whole[whole.length - 1] = withPiece(last, detail)
    else whole.push(detail)
  }
  return whole
}

/** Copying all collected fields for each piece would be quadratic in what a client sends. */
function withPiece(gathered: ReasoningDetail, piece: ReasoningDetail): ReasoningDetail {
  return {
    type: piece.type,
    text: (gathered.text ?? '') + (piece.text ?? ''),
    signature: piece.signature ?? null,
    format: piece.format ?? gathered.format ?? null,
    ...placed(piece.index),
  }
}

function toBlock(detail: ReasoningDetail): JsonObject | null {
  if (detail.format !== format) return null
  const { type, text, signature, data } = detail
  if (type === 'reasoning.text' && signature) return { type: 'thinking', thinking: text ?? '', signature }
  if (type === 'reasoning.encrypted' && data) return { type: 'redacted_thinking', data }
  return null
}
