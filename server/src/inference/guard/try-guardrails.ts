// Runs the guardrails on texts outside of any request, to show what they detect and would do. Must not store, count or
// report anything of the texts.

import type { Message, Prompt } from '../../domain/conversation/prompt.ts'
import {
  noFindings,
  type TrialFindings,
  type TriedMessage,
  type TriedMessages,
  type TryGuardrails,
} from '../../domain/guardrails/guardrail-trial.ts'
import type { Log } from '../../domain/log.ts'
import { type EntityName, entityTypes, type Settings } from '../../domain/settings/settings.ts'
import { editText } from '../../guardrails/text-edits.ts'
import { createGuardrails, findFirst, type GuardrailMeans } from './guard.ts'
import { modeOf } from './guard-rules.ts'
import type { GuardrailResult } from './guardrail.ts'

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
  // The external recogniser gets a text once.
  const runWithoutRecogniser = createGuardrails({ ...means, settings: { recogniserUrl: null } }, 0)
  return async tried => {
    const { tenantId, projectId, requestId, settings, messages, givenTexts } = tried
    const subject = {
      prompt: promptOf(tried),
      givenTexts,
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
    const findings = gather(rulings, settings)
    const unchecked = uncheckedSettings(settings)
    const others = await runWithoutRecogniser(subject, unchecked, name =>
      name === 'pii' && modeOf(name, settings) !== null ? 'enforce' : null,
    )
    const failed = findFirst(others, 'unavailable')
    if (failed !== null) throw failed
    return {
      ...findings,
      uncheckedTypes: typesOutside(gather(others, unchecked).pii, findings.pii),
      would: isBlocked
        ? 'block'
        : replacements?.actions.has('MASK')
          ? 'mask'
          : replacements === null
            ? 'pass'
            : 'redact',
      maskedTexts: isBlocked
        ? null
        : messages.map(({ text }) => editText(text, replacements?.forProvider.text(text) ?? [])),
    }
  }
}

function promptOf(tried: TriedMessages): Prompt {
  const messages = tried.messages.map(messageOf)
  const nothing = { tools: [], otherTools: [], sampling: {}, stop: [], stream: false, includeUsage: false, extra: {} }
  return { format: 'chat-completions', source: null, messages, ...nothing }
}

function messageOf({ role, text: content }: TriedMessage): Message {
  if (role === 'assistant') return { role, content, toolCalls: [], reasoningDetails: [] }
  return role === 'tool' ? { role, content, toolCallId: '' } : { role, content }
}

function gather(rulings: readonly GuardrailResult[], settings: Settings): TrialFindings {
  const findings: TrialFindings = { ...noFindings }
  for (const ruling of rulings) Object.assign(findings, ruling.show(settings))
  return findings
}

/** Settings under which PII Shield detects the types that have no action, and no others. */
function uncheckedSettings(settings: Settings): Settings {
  const types = [...entityTypes, ...settings.custom_entities.map(({ name }) => name)]
  const without = types.filter(type => settings.pii_entities[type] === undefined)
  // Redacted values need no vault.
  return { ...settings, pii_entities: Object.fromEntries(without.map(type => [type, 'REDACT'])), recogniser_url: null }
}

/** The types of the matches that overlap none of the known matches. */
function typesOutside(matches: TrialFindings['pii'], known: TrialFindings['pii']): EntityName[] {
  const outside = matches.filter(
    one => !known.some(({ message, start, end }) => message === one.message && start < one.end && one.start < end),
  )
  return [...new Set(outside.map(({ type }) => type))]
}
