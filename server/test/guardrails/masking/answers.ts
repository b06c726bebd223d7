// Answers in which a model repeats tokens, cut into pieces and put together again channel by channel. Knows the deltas
// of an answer; knows nothing of how they are restored.
import type { Delta } from '../../../src/domain/conversation/answer.ts'
import type { AnswerRewriter } from '../../../src/guardrails/answers/answer-rewriter.ts'

export const channels = ['text', 'refusal', 'reasoning', 'detail', 'arguments'] as const
export type Channel = (typeof channels)[number]

/** One piece of what a channel says. */
export function pieceOf(channel: Channel, text: string, choice = 0, isFirst = false): Delta {
  switch (channel) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return { type: channel, choice, text }
    case 'detail':
      return { type: 'reasoning', choice, text: '', detail: { type: 'reasoning.text', text, index: 0 } }
    case 'arguments':
      return isFirst
        ? { type: 'tool_call', choice, call: 0, id: 'call_1', name: 'send', arguments: text }
        : { type: 'tool_arguments', choice, call: 0, text }
  }
}

/** What a channel of a choice has said in the end. */
export function saidIn(channel: Channel, deltas: readonly Delta[], choice = 0): string {
  return deltas
    .map(delta => {
      if (!('choice' in delta) || delta.choice !== choice) return ''
      if (channel === 'detail') return delta.type === 'reasoning' ? (delta.detail?.text ?? '') : ''
      if (channel !== 'arguments') return delta.type === channel ? delta.text : ''
      if (delta.type === 'tool_call') return delta.arguments
      return delta.type === 'tool_arguments' ? delta.text : ''
    })
    .join('')
}

export function finish(choice = 0): Delta {
  return { type: 'finish', choice, reason: 'stop', native: null }
}

export function restorePieces(
  restorer: AnswerRewriter,
  channel: Channel,
  pieces: readonly string[],
  end = finish(),
): string {
  const told = pieces.flatMap((piece, index) => restorer.rewrite([pieceOf(channel, piece, 0, index === 0)]))
  return saidIn(channel, [...told, ...restorer.rewrite([end])])
}

export function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.filter(place => place > 0 && place < text.length))].sort((a, b) => a - b)
  return [0, ...sorted].map((place, index) => text.slice(place, sorted[index] ?? text.length))
}
