// Puts the deltas of an answer into the order that `answer.ts` guarantees, regardless of the provider's order. Each
// finish and the usage come once and last, tool calls without arguments get `{}`, and an answer without a finish
// becomes an error.

import type { Delta, Finish, Usage } from './answer.ts'
import { providerError } from './provider-error.ts'

export interface AnswerOrder {
  /** Returns the delta if it may be passed on now, otherwise null. After an error it always returns null. */
  take(delta: Delta): Delta | null
  /** Called when the provider has sent everything; returns the deltas that were held back. */
  complete(): Delta[]
}

type ToolCallStart = Extract<Delta, { type: 'tool_call' }>
type ErrorDelta = Extract<Delta, { type: 'error' }>

/** Far more than any provider returns. Each choice costs memory here and downstream. */
const maxChoices = 1_000
const tooMany: ErrorDelta = { type: 'error', error: providerError('malformed') }

export function createAnswerOrder(): AnswerOrder {
  const finishes = new Map<number, Finish>()
  const withoutArguments = new Map<string, ToolCallStart>()
  const choices = new Set<number>()
  let usage: Usage | null = null
  let hasOrigin = false
  let isOver = false

  function take(delta: Delta): Delta | null {
    if (isOver) return null
    if (delta.type === 'result') return delta
    switch (delta.type) {
      case 'finish':
        // Some providers send it twice, the second time with fewer details.
        if (!finishes.has(delta.choice)) finishes.set(delta.choice, delta)
        return withChoice(delta.choice, null)
      case 'usage':
        usage = delta.usage
        return null
      case 'origin':
        if (hasOrigin) return null
        hasOrigin = true
        return delta
      case 'error':
        isOver = true
        return withUsage(delta)
      case 'tool_call':
        if (delta.arguments === '') withoutArguments.set(`${delta.choice}/${delta.call}`, delta)
        break
      case 'tool_arguments':
        if (delta.text === '') return null
        if (withoutArguments.size > 0) withoutArguments.delete(`${delta.choice}/${delta.call}`)
        break
    }
    return withChoice(delta.choice, delta)
  }

  function withChoice(choice: number, passed: Delta | null): Delta | null {
    choices.add(choice)
    return choices.size <= maxChoices ? passed : take(tooMany)
  }

  function withUsage(error: ErrorDelta): ErrorDelta {
    return usage === null ? error : { ...error, usage }
  }

  function complete(): Delta[] {
    if (isOver) return []
    isOver = true
    const isUnfinished = choices.size === 0 || [...choices].some(choice => !finishes.has(choice))
    if (isUnfinished) return [withUsage({ type: 'error', error: providerError('truncated') })]
    const started = [...withoutArguments.values()]
    const held: Delta[] = started.map(({ choice, call }) => ({ type: 'tool_arguments', choice, call, text: '{}' }))
    for (const finish of [...finishes.values()].sort((a, b) => a.choice - b.choice)) held.push(finish)
    if (usage !== null) held.push({ type: 'usage', usage })
    return held
  }

  return { take, complete }
}
