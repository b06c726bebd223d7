// Anthropic's thinking blocks as details of an answer's reasoning, one detail for each whole block: a client that
// returns the detail unchanged returns the block with its signature intact.

import type { ReasoningDetail } from './prompt.ts'

const format = 'anthropic-claude-v1'

/** `index` is the block's position in the answer. */
export function signedThinking(
  { text, signature }: { text: string; signature: string },
  index: unknown,
): ReasoningDetail {
  return { type: 'reasoning.text', text, signature, format, ...placed(index) }
}

/** Thinking that only the provider can read. */
export function redactedThinking(data: string, index: unknown): ReasoningDetail {
  return { type: 'reasoning.encrypted', data, format, ...placed(index) }
}

function placed(index: unknown): { index?: number } {
  return typeof index === 'number' ? { index } : {}
}

export type ClaudeThinking =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

/** The block that a detail stands for; null if it is of another format, or unsigned. */
export function findClaudeThinking(detail: ReasoningDetail): ClaudeThinking | null {
  if (detail.format !== format) return null
  const { type, text, signature, data } = detail
  if (type === 'reasoning.text' && signature) return { type: 'thinking', thinking: text ?? '', signature }
  if (type === 'reasoning.encrypted' && data) return { type: 'redacted_thinking', data }
  return null
}
