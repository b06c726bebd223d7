// Cuts the texts of a delta into pieces, each of which takes little time.

import type { Delta } from '../../domain/conversation/answer.ts'

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

/** The text that can be cut; empty if there is none. */
export function cuttableText(delta: Delta): string {
  if ('text' in delta) return delta.text
  return delta.type === 'tool_call' ? delta.arguments : ''
}

function piecesOf(text: string, maxLength: number): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; from += maxLength) pieces.push(text.slice(from, from + maxLength))
  return pieces
}
