// Runs the guardrails on one text outside of any request, to show what they detect and would do. Must not store, count
// or report anything of the text.

import type { Message, Prompt } from '../../domain/conversation/prompt.ts'
import type { GuardrailTrial, TriedText, TryGuardrails } from '../../domain/guardrails/guardrail-trial.ts'
import type { Log } from '../../domain/log.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { createGuardrails, findFirst, type GuardrailMeans } from './guard.ts'
import { modeOf } from './guard-rules.ts'
import type { Detections, GuardrailResult } from './guardrail.ts'

interface TryDependencies extends GuardrailMeans {
  now: () => number
  log: Log
}

const noEvents = { emit: () => undefined }
const noMetrics = {
  guardrailChecked: () => undefined,
  verdictReused: () => undefined,
  recogniserCalled: () => undefined,
}

export function createTryGuardrails({ now, log, ...means }: TryDependencies): TryGuardrails {
  // A cache would let its speed reveal which texts end users have sent.
  const runGuardrails = createGuardrails(means, 0)
  return async tried => {
    const { tenantId, projectId, requestId, settings, text } = tried
    const subject = {
      prompt: promptOf(tried),
      verified: { tenantId, projectId, requestId, userId: 'svc:try' },
      events: noEvents,
      metrics: noMetrics,
      now,
      log,
    }
    const rulings = await runGuardrails(subject, settings, (name, of) => (modeOf(name, of) === null ? null : 'enforce'))
    const replacements = findFirst(rulings, 'replacements')
    replacements?.vault?.close()
    const unavailable = findFirst(rulings, 'unavailable')
    if (unavailable !== null) throw unavailable
    const isBlocked = findFirst(rulings, 'blocked') !== null
    return {
      ...describe(rulings, settings),
      would: isBlocked
        ? 'block'
        : replacements?.actions.has('MASK')
          ? 'mask'
          : replacements === null
            ? 'pass'
            : 'redact',
      maskedText: isBlocked ? null : (replacements?.forProvider.said(text) ?? text),
    }
  }
}

function promptOf({ role, text }: TriedText): Prompt {
  const messages = [messageOf(role, text)]
  const nothing = { tools: [], otherTools: [], sampling: {}, stop: [], stream: false, includeUsage: false, extra: {} }
  return { format: 'chat-completions', source: null, messages, ...nothing }
}

function messageOf(role: TriedText['role'], content: string): Message {
  if (role === 'assistant') return { role, content, toolCalls: [], reasoningDetails: [] }
  return role === 'tool' ? { role, content, toolCallId: '' } : { role, content }
}

function describe(rulings: readonly GuardrailResult[], settings: Settings): Pick<GuardrailTrial, 'pii' | 'sentinel'> {
  const { pii, sentinel } = gather(rulings)
  const finds = pii?.said.flatMap(place => place.finds) ?? []
  const { families, terms } = sentinel ?? { families: [], terms: 0 }
  const verdict = settings.sentinel_mode === 'enforce' ? 'blocked' : 'detected'
  return {
    pii: finds.map(({ type, start, end, score }) => {
      const action = settings.pii_entities[type] ?? 'BLOCK'
      return { type, start, end, score, action }
    }),
    sentinel: { verdict: families.length + terms > 0 ? verdict : 'passed', families, terms },
  }
}

function gather(rulings: readonly GuardrailResult[]): Detections {
  const all: Detections = {}
  for (const { detected } of rulings) Object.assign(all, detected)
  return all
}
