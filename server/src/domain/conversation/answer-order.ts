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

/** Each event of a stream repeats the answer's id and model. */
const maxNameLength = 256
/** Far more than any provider returns. Each choice and each call costs memory and events here and downstream. */
const maxChoices = 1_000
export const maxCalls = 500
const truncated: ErrorDelta = { type: 'error', error: providerError('truncated') }
const tooMany: ErrorDelta = { type: 'error', error: providerError('malformed') }

export function createAnswerOrder(): AnswerOrder {
  const finishes = new Map<number, Finish>()
  const withoutArguments = new Map<string, ToolCallStart>()
  const choices = new Set<number>()
  let usage: Usage | null = null
  let callCount = 0
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
        return { ...delta, id: usualName(delta.id), model: usualName(delta.model) }
      case 'error':
        isOver = true
        return withUsage(delta)
      case 'tool_call':
        if (++callCount > maxCalls) return take(tooMany)
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
    if (choices.size === 0 || [...choices].some(choice => !finishes.has(choice))) return [withUsage(truncated)]
    const held: Delta[] = [...withoutArguments.values()].map(emptyArguments)
    for (const finish of [...finishes.values()].sort((a, b) => a.choice - b.choice)) held.push(finish)
    if (usage !== null) held.push({ type: 'usage', usage })
    return held
  }

  return { take, complete }
}

function emptyArguments({ choice, call }: ToolCallStart): Delta {
  return { type: 'tool_arguments', choice, call, text: '{}' }
}

/** Null, as for a provider that gives no name, if it is longer than any of them. */
function usualName(name: string | null): string | null {
  return name !== null && name.length > maxNameLength ? null : name
}
