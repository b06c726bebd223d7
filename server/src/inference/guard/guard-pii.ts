// Checks one request with PII Shield and reports the matches, and which of the project's actions were applied to them.

import type { Prompt } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'
import type { GuardrailEvent } from '../../domain/guardrails/guardrail-event.ts'
import type { TrialFindings } from '../../domain/guardrails/guardrail-trial.ts'
import type { PiiEntities, Settings } from '../../domain/settings/settings.ts'
import type { Finding } from '../../guardrails/finding.ts'
import { createKnownTexts, type KnownTexts } from '../../guardrails/known-texts.ts'
import {
  noMatches,
  type PiiMatches,
  type PiiRules,
  readPiiRules,
  scanTexts,
  shield,
} from '../../guardrails/pii-shield.ts'
import { textsOf } from '../../guardrails/prompt-texts.ts'
import type { Recognition } from '../../guardrails/recogniser/external-recogniser.ts'
import type { RecogniserFailure } from '../../guardrails/recogniser/recogniser-failure.ts'
import { breathing, createBreath } from '../../guardrails/work-budget.ts'
import { compilePairOnce } from './guard-rules.ts'
import { report, run } from './guard-run.ts'
import type { GuardedRequest, Guardrail, GuardrailDependencies, GuardrailResult } from './guardrail.ts'
import { scanAnswerForPii } from './scan-answer.ts'

/** Enough for some projects with definitions of the maximum length, or hundreds of usual ones. */
const maxKnownCharacters = 1_000_000

interface Compiled {
  rules: Promise<PiiRules>
  characters: number
}

interface PiiCheck {
  rules: PiiRules
  recogniserUrl: string | null
}

export function createPiiGuardrail(dependencies: GuardrailDependencies): Guardrail<'pii', PiiCheck> {
  const { keyOf, maxKnown, recogniser } = dependencies
  const known = createKnownTexts<readonly Finding[]>(maxKnown, finds => finds.length)
  // Also cached by text: the playground reads the settings for each request, so it has the same types in new objects.
  const compiled = createKnownTexts<Compiled>(maxKnownCharacters, ({ characters }) => characters)
  const rulesOf = compilePairOnce((pii_entities: PiiEntities, custom_entities: Settings['custom_entities']) => {
    const text = JSON.stringify([pii_entities, custom_entities])
    const before = compiled.find(text, '')
    if (before !== undefined) return before.rules
    // Requests that come meanwhile await the same compilation.
    const rules = breathing(readPiiRules({ pii_entities, custom_entities }), createBreath())
    compiled.keep(text, '', { rules, characters: text.length })
    return rules
  })
  return {
    name: 'pii',
    async rules({ pii_entities, custom_entities, recogniser_url: recogniserUrl }) {
      const rules = await rulesOf(pii_entities, custom_entities)
      return rules.wanted.size === 0 ? null : { rules, recogniserUrl }
    },
    check(request, { rules, recogniserUrl }) {
      const { verified, metrics } = request
      const recognition = recogniser.open({ projectUrl: recogniserUrl, project: verified, rules, metrics })
      return checkWithPiiShield(request, rules, { known, giveKey: () => keyOf(verified), recognition })
    },
    async openAnswer(subject, { pii_entities, custom_entities }) {
      const rules = await rulesOf(pii_entities, custom_entities)
      return rules.wanted.size === 0 ? null : scanAnswerForPii(subject, rules)
    },
  }
}

interface ShieldDependencies {
  known: KnownTexts<readonly Finding[]>
  giveKey: () => Uint8Array
  recognition: Recognition | null
}

async function checkWithPiiShield(
  request: GuardedRequest<'pii'>,
  rules: PiiRules,
  { known, giveKey, recognition }: ShieldDependencies,
): Promise<GuardrailResult> {
  const { mode, prompt, verified, metrics } = request
  const finds = noMatches()
  const result: GuardrailResult = {
    blocked: null,
    unavailable: null,
    replacements: null,
    show: settings => ({ pii: showMatches(finds, prompt, settings) }),
  }
  const { tenantId, projectId } = verified
  const owner = `${tenantId} ${projectId}`
  const blockedTypes = () => [...finds.types].filter(type => rules.actions.get(type) === 'BLOCK')
  const action = (): GuardrailEvent['actionTaken'] => {
    if (mode === 'shadow') return 'detected'
    if (blockedTypes().length > 0) return 'blocked'
    const done = result.replacements?.actions
    return done?.has('MASK') ? 'masked' : done?.has('REDACT') ? 'redacted' : 'detected'
  }
  result.unavailable = await run(request, async openBudget => {
    const texts = await breathing(textsOf(prompt), createBreath())
    const budget = openBudget([...texts.editable, ...texts.callArguments, ...texts.readOnly])
    const onReuse = () => metrics.verdictReused('pii')
    await scanTexts({ known, owner, budget, onReuse, recognition }, rules, texts, finds)
    if (recognition !== null && recognition.failure !== null) refuseOrLog(request, recognition.failure)
    if (finds.count === 0) return 'passed'
    if (mode === 'enforce' && blockedTypes().length === 0) {
      result.replacements = await shield({ giveKey, budget }, rules, finds, texts)
    }
    return action()
  })
  const blocked = blockedTypes()
  if (mode === 'enforce' && blocked.length > 0) {
    const message = `Request blocked: detected PII types [${blocked.sort().join(', ')}]`
    result.blocked = new Refusal('pii_blocked', { message })
  }
  if (finds.count > 0) {
    const type = blocked.length > 0 ? 'pii_block' : 'pii_detection'
    const entityCount = finds.count
    report(request, { type, actionTaken: action(), entityTypes: [...finds.types], entityCount })
  }
  return result
}

/** Texts with matches are in the order of their messages, which have one text each. */
function showMatches({ editable }: PiiMatches, { messages }: Prompt, { pii_entities }: Settings): TrialFindings['pii'] {
  let message = -1
  return editable.flatMap(({ text, finds }) => {
    do message++
    while (message < messages.length && messages[message]?.content !== text)
    const at = message
    return finds.map(({ type, start, end, score }) => ({
      message: at,
      type,
      start,
      end,
      score,
      action: pii_entities[type] ?? 'BLOCK',
    }))
  })
}

/** In shadow mode, the matches of PII Shield alone are reported. */
function refuseOrLog({ mode, verified, log }: GuardedRequest<'pii'>, failure: RecogniserFailure): void {
  if (mode === 'enforce') throw failure
  const { requestId, projectId } = verified
  const reason = failure.problem
  log.warn('external recogniser failed', { request_id: requestId, project_id: projectId, reason, error: failure })
}
