// Reads Anthropic's thinking blocks from the details of reasoning that clients return, whole or in pieces.

import { findClaudeThinking } from '../../../domain/conversation/claude-reasoning.ts'
import type { ReasoningDetail } from '../../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../../domain/json-object.ts'

interface ThinkingBlocks {
  /** Blocks before the answer's text, and blocks after it. */
  before: JsonObject[]
  after: JsonObject[]
}

/** The blocks that the provider will recognise: its own, and signed. */
export function thinkingBlocks(details: readonly ReasoningDetail[]): ThinkingBlocks {
  const blocks: ThinkingBlocks = { before: [], after: [] }
  for (const detail of joined(details)) {
    const block = findClaudeThinking(detail)
    if (block === null) continue
    const isBehind = blocks.after.length > 0 || (detail.index ?? 0) > blocks.before.length
    blocks[isBehind ? 'after' : 'before'].push(block)
  }
  return blocks
}

export function hasSignedThinking(details: readonly ReasoningDetail[]): boolean {
  return joined(details).some(detail => findClaudeThinking(detail) !== null)
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
    ...(piece.index === undefined ? {} : { index: piece.index }),
  }
}
