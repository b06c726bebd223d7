// Cuts the texts of a delta into pieces, each of which takes little time.

import type { Delta, Logprobs } from '../../domain/conversation/answer.ts'
import { isJsonList } from '../../domain/json/lazy-list.ts'

/** The tokens of this many log probabilities take a millisecond. */
const maxTokens = 256
/** What the log probabilities of a token are counted as, in UTF-16 units of text. */
const tokenLength = 256

/** Equal deltas with shorter texts. Their log probabilities are left out: they belong to the whole text. */
export function cutDelta(delta: Delta, maxLength: number): Delta[] {
  const text = cuttableText(delta)
  if (text.length <= maxLength) return [delta]
  const [first = '', ...others] = piecesOf(text, maxLength)
  switch (delta.type) {
    case 'text':
    case 'refusal': {
      const { type, choice } = delta
      return [first, ...others].map(piece => ({ type, choice, text: piece }))
    }
    case 'tool_arguments':
      return [first, ...others].map(piece => ({ ...delta, text: piece }))
    case 'tool_call': {
      const { choice, call } = delta
      const pieces = [first, ...others].map((piece): Delta => ({ type: 'tool_arguments', choice, call, text: piece }))
      return [{ ...delta, arguments: '' }, ...pieces]
    }
    case 'reasoning': {
      const { choice } = delta
      return [{ ...delta, text: first }, ...others.map((piece): Delta => ({ type: 'reasoning', choice, text: piece }))]
    }
    default:
      return [delta]
  }
}

/** The same for a text with log probabilities, which are cut with it: each piece has its share of both. */
export function cutTokens(delta: Delta, maxLength: number): Delta[] {
  const logprobs = logprobsOf(delta)
  if (logprobs === undefined || (delta.type !== 'text' && delta.type !== 'refusal')) return cutDelta(delta, maxLength)
  const { text } = delta
  const count = Math.ceil(Math.max(tokenCount(logprobs) / maxTokens, text.length / maxLength))
  if (count <= 1) return [delta]
  const textLength = Math.ceil(text.length / count)
  return Array.from({ length: count }, (_, at) => ({
    ...delta,
    text: text.slice(at * textLength, (at + 1) * textLength),
    logprobs: { content: share(logprobs.content, at, count), refusal: share(logprobs.refusal, at, count) },
  }))
}

function share(list: unknown, at: number, count: number): unknown {
  if (!isJsonList(list)) return list
  const length = Math.ceil(list.length / count)
  return list.slice(at * length, (at + 1) * length)
}

function logprobsOf(delta: Delta): Logprobs | undefined {
  return delta.type === 'text' || delta.type === 'refusal' ? delta.logprobs : undefined
}

function tokenCount({ content, refusal }: Logprobs): number {
  return Math.max(isJsonList(content) ? content.length : 0, isJsonList(refusal) ? refusal.length : 0)
}

/** How much there is to do with a delta, in UTF-16 units of text. */
export function weightOf(delta: Delta): number {
  const logprobs = logprobsOf(delta)
  return cuttableText(delta).length + (logprobs === undefined ? 0 : tokenLength * tokenCount(logprobs))
}

/** The text that can be cut; empty if there is none. */
function cuttableText(delta: Delta): string {
  if ('text' in delta) return delta.text
  return delta.type === 'tool_call' ? delta.arguments : ''
}

function piecesOf(text: string, maxLength: number): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; from += maxLength) pieces.push(text.slice(from, from + maxLength))
  return pieces
}
