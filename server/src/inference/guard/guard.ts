// Registers the guardrails and runs them on one request: each checks it and emits its events, then the request
// continues, changed or unchanged, or is rejected. Opens their scans of its answer.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import { deriveKey } from '../../crypto/secrets/derive-key.ts'
import type { Message, Prompt } from '../../domain/conversation/prompt.ts'
import { type GuardrailName, guardrailNames } from '../../domain/guardrails/guardrails.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { AnswerScanning } from '../../guardrails/answers/answer-rewriter.ts'
import type { Vault } from '../../guardrails/masking/vault.ts'
import { replaceTexts } from '../../guardrails/prompt-texts.ts'
import { createExternalRecogniser } from '../../guardrails/recogniser/external-recogniser.ts'
import type { Replacement } from '../../guardrails/text-edits.ts'
import type { EventStream } from '../../kv/event-stream.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { AnswerCheck } from './check-answer.ts'
import { createGuardEvents, type GuardEvents } from './guard-events.ts'
import { createPiiGuardrail } from './guard-pii.ts'
import { answerModeOf, modeOf } from './guard-rules.ts'
import { createSentinelGuardrail } from './guard-sentinel.ts'
import type { ActiveMode, GuardedRequest, Guardrail, GuardrailDependencies, GuardrailResult } from './guardrail.ts'

export interface Guard {
  /** `prompt` must not include the project's system prompt. Throws if the request is rejected. */
  check(call: AdmittedCall, prompt: Prompt): Promise<Guarded>
  /** Null if nothing scans the answer. */
  openAnswer(call: Pick<AdmittedCall, 'verified' | 'resolved' | 'notes'>): Promise<AnswerGuard | null>
  /** Resolves when all events are stored or have failed. */
  stop(): Promise<void>
}

export interface Guarded {
  /** The messages that the provider gets. */
  messages: Message[]
  /** How they were changed; null if they were not. */
  replacement: Replacement | null
  /** Turns messages of this request into the ones that memory keeps. */
  forMemory(messages: readonly Message[]): Message[]
  /** The values to restore in the answer; null if nothing was masked. Must be closed when the request ends. */
  vault: Vault | null
}

/** Scans one answer with all guardrails. */
export interface AnswerGuard extends AnswerScanning {
  /** The answer has ended. Must be called once. */
  conclude(): void
}

/** What the guardrails need to run. */
export interface GuardrailMeans {
  /** Each project's key for mask tokens is derived from it. */
  maskingKey: Uint8Array
  outbound: Pick<Outbound, 'send'>
  settings: {
    /** The operator's external recogniser. */
    recogniserUrl: string | null
  }
}

interface GuardDependencies extends GuardrailMeans {
  kv: Pick<EventStream, 'emitEvent'>
  metrics: Pick<Metrics, 'guardrailChecked' | 'verdictReused' | 'recogniserCalled' | 'eventEmitted'>
  now: () => number
  log: Log
}

/** All guardrails. They run in the order of the table in the domain. */
const registered = {
  pii: createPiiGuardrail,
  sentinel: createSentinelGuardrail,
} satisfies { [Name in GuardrailName]: (dependencies: GuardrailDependencies) => Guardrail<Name> }

/** What the guardrails check, and what they report to. */
type Subject = Omit<GuardedRequest, 'guardrail' | 'direction' | 'mode'>
type ReadMode = (name: GuardrailName, settings: Settings) => ActiveMode | null

/** Creates all guardrails. They keep their caches. */
function createAll(means: GuardrailMeans, maxKnown: number): readonly Guardrail<GuardrailName>[] {
  const { maskingKey, outbound, settings } = means
  const keyOf: GuardrailDependencies['keyOf'] = ({ tenantId, projectId }) =>
    deriveKey(maskingKey, ['mask-tokens', tenantId, projectId])
  const recogniser = createExternalRecogniser({ outbound, url: settings.recogniserUrl, maxKnown })
  return guardrailNames.map(name => registered[name]({ keyOf, maxKnown, recogniser }))
}

/** Returns the function that runs all guardrails on one request; a guardrail without a mode does not run. */
export function createGuardrails(means: GuardrailMeans, maxKnown: number) {
  return runnerOf(createAll(means, maxKnown))
}

function runnerOf(known: readonly Guardrail<GuardrailName>[]) {
  return async (subject: Subject, settings: Settings, readMode: ReadMode): Promise<GuardrailResult[]> => {
    const results: GuardrailResult[] = []
    for (const guardrail of known) {
      const mode = readMode(guardrail.name, settings)
      const rules = mode === null ? null : await guardrail.rules(settings)
      if (mode === null || rules === null) continue
      results.push(await guardrail.check({ ...subject, guardrail: guardrail.name, direction: 'input', mode }, rules))
    }
    return results
  }
}

const maxKnown = 100_000

export function createGuard(dependencies: GuardDependencies): Guard {
  const { kv, metrics, now, log } = dependencies
  const events = createGuardEvents({ kv, metrics, log })
  const known = createAll(dependencies, maxKnown)
  const runGuardrails = runnerOf(known)
  return {
    async openAnswer({ verified, resolved: { settings }, notes }) {
      const checks: AnswerCheck[] = []
      const noted = noteEvents(events, notes)
      for (const guardrail of known) {
        const mode = answerModeOf(guardrail.name, settings)
        if (mode === null) continue
        const named = { guardrail: guardrail.name, direction: 'output', mode } as const
        const subject = { ...named, verified, events: noted, metrics, now, log }
        const scan = await guardrail.openAnswer(subject, settings)
        if (scan !== null) checks.push(new AnswerCheck(subject, scan))
      }
      if (checks.length === 0) return null
      return {
        isEnforced: checks.some(({ isEnforced }) => isEnforced),
        createScanners: () => checks.map(check => check.createScanner()),
        conclude: () => checks.forEach(check => void check.conclude()),
      }
    },
    async check({ verified, resolved, notes, prompt: named }, prompt) {
      notes?.beginGuardrails()
      const given = { prompt, givenTexts: named?.texts ?? [] }
      const subject = { ...given, verified, events: noteEvents(events, notes), metrics, now, log }
      const results = await runGuardrails(subject, resolved.settings, modeOf)
      notes?.endGuardrails()
      const replacements = findFirst(results, 'replacements')
      const refusal = findFirst(results, 'blocked') ?? findFirst(results, 'unavailable')
      if (refusal !== null) {
        replacements?.vault?.close()
        throw refusal
      }
      if (replacements === null) return passUnguarded(prompt.messages)
      return {
        messages: replaceTexts(prompt.messages, replacements.forProvider),
        replacement: replacements.forProvider,
        forMemory: kept => replaceTexts(kept, replacements.forMemory),
        vault: replacements.vault,
      }
    },
    stop: events.settle,
  }
}

/** Also notes the events of a call for its row in the request log. */
function noteEvents(events: GuardEvents, notes: AdmittedCall['notes']): Pick<GuardEvents, 'emit'> {
  if (notes === undefined) return events
  return {
    emit(event) {
      const { type, actionTaken: action, source = null, patternFamily: family, score } = event
      notes.outcomes.push({ type, action, source, ...(score === undefined ? {} : { family, score }) })
      events.emit(event)
    },
  }
}

export function findFirst<Part extends 'blocked' | 'unavailable' | 'replacements'>(
  results: readonly GuardrailResult[],
  part: Part,
): GuardrailResult[Part] | null {
  return results.find(result => result[part] !== null)?.[part] ?? null
}

function passUnguarded(messages: Message[]): Guarded {
  return { messages, replacement: null, forMemory: copyOf, vault: null }
}

const copyOf = (messages: readonly Message[]): Message[] => [...messages]
