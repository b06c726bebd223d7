// PII Shield's ruling on one request, and what it reports: which of the project's actions were taken on what was found.

import type { Prompt } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'
import type { GuardrailEvent } from '../../domain/guardrail-event.ts'
import { entityTypes } from '../../domain/settings/settings.ts'
import type { Finding } from '../../guardrails/finding.ts'
import type { KnownTexts } from '../../guardrails/known-texts.ts'
import { noFinds, type Shielded, scanTexts, shield } from '../../guardrails/pii-shield.ts'
import { textsOf } from '../../guardrails/prompt-texts.ts'
import { breathing, createBreath } from '../../guardrails/work-budget.ts'
import type { GuardRules } from './guard-rules.ts'
import { type Guarding, type Ruling, report, run } from './guard-run.ts'

interface PiiParts {
  known: KnownTexts<readonly Finding[]>
  giveKey: () => Uint8Array
}

interface PiiRuling extends Ruling {
  /** What the texts become; null where they stay as they are. */
  covered: Shielded | null
}

export async function guardWithPiiShield(
  guarding: Guarding,
  { mode, rules }: NonNullable<GuardRules['pii']>,
  prompt: Prompt,
  { known, giveKey }: PiiParts,
): Promise<PiiRuling> {
  const finds = noFinds()
  const ruling: PiiRuling = { blocked: null, unavailable: null, covered: null }
  const { tenantId, projectId } = guarding.verified
  const owner = `${tenantId} ${projectId}`
  const blockedTypes = () => entityTypes.filter(type => finds.types.has(type) && rules.actions.get(type) === 'BLOCK')
  const action = (): GuardrailEvent['actionTaken'] => {
    if (mode === 'shadow') return 'detected'
    if (blockedTypes().length > 0) return 'blocked'
    const done = ruling.covered?.actions
    return done?.has('MASK') ? 'masked' : done?.has('REDACT') ? 'redacted' : 'detected'
  }
  ruling.unavailable = await run(guarding, { guardrail: 'pii', mode }, async openBudget => {
    const texts = await breathing(textsOf(prompt), createBreath())
    const budget = openBudget([...texts.said, ...texts.calls, ...texts.fixed])
    const onReuse = () => guarding.metrics.verdictReused('pii')
    await scanTexts({ known, owner, budget, onReuse }, rules, texts, finds)
    if (finds.count === 0) return 'passed'
    if (mode === 'enforce' && blockedTypes().length === 0) {
      ruling.covered = await shield({ giveKey, budget }, rules, finds, texts)
    }
    return action()
  })
  const blocked = blockedTypes()
  if (mode === 'enforce' && blocked.length > 0) {
    const message = `Request blocked: detected PII types [${blocked.sort().join(', ')}]`
    ruling.blocked = new Refusal('pii_blocked', { message })
  }
  if (finds.count > 0) {
    const type = blocked.length > 0 ? 'pii_block' : 'pii_detection'
    const entityCount = finds.count
    report(guarding, { type, mode, actionTaken: action(), entityTypes: [...finds.types], entityCount })
  }
  return ruling
}
