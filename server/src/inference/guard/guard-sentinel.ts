// Checks one request with Sentinel and reports the matches: a pattern's family, and how many terms of the blocklist.

import { createHash } from 'node:crypto'
import { Refusal } from '../../domain/errors.ts'
import type { TrialFindings } from '../../domain/guardrails/guardrail-trial.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { createKnownTexts, type KnownTexts } from '../../guardrails/known-texts.ts'
import { createBlocklist } from '../../guardrails/sentinel/blocklist.ts'
import { createSentinel, type Sentinel, type SentinelVerdict } from '../../guardrails/sentinel/sentinel.ts'
import { collectRuns, runsOfVariables } from '../../guardrails/sentinel/text-runs.ts'
import { type WatchVerdict, watchRuns } from '../../guardrails/sentinel-watch.ts'
import { breathing, createBreath } from '../../guardrails/work-budget.ts'
import { compileOnce } from './guard-rules.ts'
import { report, run } from './guard-run.ts'
import type { GuardedRequest, Guardrail, GuardrailDependencies, GuardrailResult } from './guardrail.ts'
import { scanAnswerForTerms } from './scan-answer.ts'

interface CompiledBlocklist {
  sentinel: Sentinel
  blocklist: string
}

interface SentinelRules extends CompiledBlocklist {
  sources: Settings['sentinel_sources']
}

/** Enough for five lists of the maximum length, or hundreds of usual ones. Compiled, they grow with their length. */
const maxKnownCharacters = 300_000

export function createSentinelGuardrail({
  maxKnown,
}: Pick<GuardrailDependencies, 'maxKnown'>): Guardrail<'sentinel', SentinelRules> {
  const verdicts = createKnownTexts<SentinelVerdict>(maxKnown, () => 0)
  const blocklistOf = compileTerms(compileBlocklist)
  const answerTermsOf = compileTerms(createBlocklist)
  return {
    name: 'sentinel',
    rules: async settings => ({ ...blocklistOf(settings.sentinel_blocklist), sources: settings.sentinel_sources }),
    check: (request, rules) => checkWithSentinel(request, rules, verdicts),
    async openAnswer(subject, { answer_blocklist }) {
      const { states } = answerTermsOf(answer_blocklist)
      return states === null ? null : scanAnswerForTerms(subject, states)
    },
  }
}

/** Compiles lists of terms once. Also cached by text: the playground has the same terms in a new array each time. */
function compileTerms<Rules>(compile: (terms: readonly string[], text: string) => Rules) {
  const known = createKnownTexts<{ rules: Rules; characters: number }>(
    maxKnownCharacters,
    ({ characters }) => characters,
  )
  return compileOnce((terms: readonly string[]): Rules => {
    const text = JSON.stringify(terms)
    const before = known.find(text, '')
    if (before !== undefined) return before.rules
    const rules = compile(terms, text)
    known.keep(text, '', { rules, characters: text.length })
    return rules
  })
}

function compileBlocklist(terms: readonly string[], text: string): CompiledBlocklist {
  const blocklist = createHash('sha256').update(text).digest('base64')
  return { sentinel: createSentinel(terms), blocklist }
}

const nothingFound: WatchVerdict = {
  families: [],
  terms: 0,
  familySource: null,
  familyVariable: null,
  termSource: null,
  termVariable: null,
}

async function checkWithSentinel(
  request: GuardedRequest<'sentinel'>,
  { sentinel, blocklist, sources }: SentinelRules,
  known: KnownTexts<SentinelVerdict>,
): Promise<GuardrailResult> {
  const { mode, prompt, givenTexts, verified, metrics } = request
  let verdict: WatchVerdict = nothingFound
  const isHit = () => verdict.families.length > 0 || verdict.terms > 0
  const actionTaken = mode === 'enforce' ? 'blocked' : 'detected'
  const { tenantId, projectId } = verified
  const owner = `${tenantId} ${projectId} ${blocklist}`
  const unavailable = await run(request, async openBudget => {
    const said = await breathing(collectRuns(prompt.messages, sources), createBreath())
    const runs = [...said, ...runsOfVariables(givenTexts)]
    const budget = openBudget(runs.flatMap(({ parts, otherTexts }) => [...parts, ...otherTexts]))
    const onReuse = () => metrics.verdictReused('sentinel')
    verdict = await watchRuns({ known, owner, budget, onReuse }, sentinel, runs)
    return isHit() ? actionTaken : 'passed'
  })
  const { families, terms: termCount, familySource, familyVariable, termSource, termVariable } = verdict
  const [patternFamily] = families
  if (patternFamily !== undefined) {
    const place = { source: familySource ?? undefined, variable: familyVariable ?? undefined }
    report(request, { type: 'sentinel_jailbreak', actionTaken, patternFamily, ...place })
  }
  if (termCount > 0) {
    const place = { source: termSource ?? undefined, variable: termVariable ?? undefined }
    report(request, { type: 'sentinel_blocklist', actionTaken, termCount, ...place })
  }
  const isBlocked = mode === 'enforce' && isHit()
  return {
    blocked: isBlocked ? new Refusal('content_blocked') : null,
    unavailable,
    replacements: null,
    show: ({ sentinel_mode }) => ({
      sentinel: {
        verdict: verdictOf(isHit(), sentinel_mode),
        families,
        terms: termCount,
        variable: familyVariable ?? termVariable,
      },
    }),
  }
}

function verdictOf(isHit: boolean, mode: Settings['sentinel_mode']): TrialFindings['sentinel']['verdict'] {
  if (!isHit) return 'passed'
  return mode === 'enforce' ? 'blocked' : 'detected'
}
