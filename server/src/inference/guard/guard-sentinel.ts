// Sentinel's ruling on one request, and what it reports: a pattern's family, and how many terms of the blocklist.

import type { Message } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'
import type { KnownTexts } from '../../guardrails/known-texts.ts'
import type { SentinelVerdict } from '../../guardrails/sentinel/sentinel.ts'
import { userRuns } from '../../guardrails/sentinel/user-texts.ts'
import { watchRuns } from '../../guardrails/sentinel-watch.ts'
import { breathing, createBreath } from '../../guardrails/work-budget.ts'
import type { GuardRules } from './guard-rules.ts'
import { type Guarding, type Ruling, report, run } from './guard-run.ts'

export async function guardWithSentinel(
  guarding: Guarding,
  { mode, sentinel, blocklist }: NonNullable<GuardRules['sentinel']>,
  messages: readonly Message[],
  known: KnownTexts<SentinelVerdict>,
): Promise<Ruling> {
  let verdict: SentinelVerdict = { families: [], terms: 0 }
  const isHit = () => verdict.families.length > 0 || verdict.terms > 0
  const actionTaken = mode === 'enforce' ? 'blocked' : 'detected'
  const { tenantId, projectId } = guarding.verified
  const owner = `${tenantId} ${projectId} ${blocklist}`
  const unavailable = await run(guarding, { guardrail: 'sentinel', mode }, async openBudget => {
    const runs = await breathing(userRuns(messages), createBreath())
    const budget = openBudget(runs.flatMap(({ said, carried }) => [...said, ...carried]))
    const onReuse = () => guarding.metrics.verdictReused('sentinel')
    verdict = await watchRuns({ known, owner, budget, onReuse }, sentinel, runs)
    return isHit() ? actionTaken : 'passed'
  })
  const [patternFamily] = verdict.families
  if (patternFamily !== undefined) report(guarding, { type: 'sentinel_jailbreak', mode, actionTaken, patternFamily })
  const termCount = verdict.terms
  if (termCount > 0) report(guarding, { type: 'sentinel_blocklist', mode, actionTaken, termCount })
  const isBlocked = mode === 'enforce' && isHit()
  return { blocked: isBlocked ? new Refusal('content_blocked') : null, unavailable }
}
