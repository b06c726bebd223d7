// Puts the deltas of an answer into the order that `answer.ts` promises, whatever the provider made of it: finishes and
// usage come last and once, calls without arguments get `{}`, and an answer that nothing finishes is a fault.

import type { Delta, Usage } from './answer.ts'
import { providerFault } from './provider-fault.ts'

export interface AnswerOrder {
  /** What may go on now. Nothing is let through after a fault. */
  take(delta: Delta): Delta | null
  /** The provider has said all: what was held back. */
  complete(): Delta[]
}

type ToolCallStart = Extract<Delta, { type: 'tool_call' }>
type Fault = Extract<Delta, { type: 'fault' }>
type Finish = Extract<Delta, { type: 'finish' }>

/** Far more than any provider gives; each leaves something behind, here and downstream. */
const maxChoices = 1_000
const tooMany: Fault = { type: 'fault', fault: providerFault('malformed') }

export function createAnswerOrder(): AnswerOrder {
  const finishes = new Map<number, Finish>()
  const withoutArguments = new Map<string, ToolCallStart>()
  const choices = new Set<number>()
  let usage: Usage | null = null
  let hasOrigin = false
  let isOver = false

  function take(delta: Delta): Delta | null {
    if (isOver) return null
    switch (delta.type) {
      case 'finish':
        // Some say it twice, the second time with less.
        if (!finishes.has(delta.choice)) finishes.set(delta.choice, delta)
        return withChoice(delta.choice, null)
      case 'usage':
        usage = delta.usage
        return null
      case 'origin':
        if (hasOrigin) return null
        hasOrigin = true
        return delta
      case 'fault':
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

  function withChoice(choice: number, told: Delta | null): Delta | null {
    choices.add(choice)
    return choices.size <= maxChoices ? told : take(tooMany)
  }

  function withUsage(fault: Fault): Fault {
    return usage === null ? fault : { ...fault, usage }
  }

  function complete(): Delta[] {
    if (isOver) return []
    isOver = true
    const isUnfinished = choices.size === 0 || [...choices].some(choice => !finishes.has(choice))
    if (isUnfinished) return [withUsage({ type: 'fault', fault: providerFault('truncated') })]
    const held: Delta[] = [...finishes.values()].sort((a, b) => a.choice - b.choice)
    const started = [...withoutArguments.values()]
    held.unshift(...started.map(({ choice, call }): Delta => ({ type: 'tool_arguments', choice, call, text: '{}' })))
    if (usage !== null) held.push({ type: 'usage', usage })
    return held
  }

  return { take, complete }
}
