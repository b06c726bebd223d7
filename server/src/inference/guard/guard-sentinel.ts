// Checks one request with Sentinel and reports the matches: an attack's family and score, and how many terms of the
// blocklist.

import { createHash } from 'node:crypto'
import { Refusal } from '../../domain/errors.ts'
import type { TrialFindings } from '../../domain/guardrails/guardrail-trial.ts'
import { blockCuts, outcomeOf, type ThresholdOutcome, writeScore } from '../../domain/guardrails/sentinel-threshold.ts'
import { type SentinelThreshold, type Settings, sentinelThresholds } from '../../domain/settings/settings.ts'
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
  threshold: SentinelThreshold
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
    rules: async settings => ({
      ...blocklistOf(settings.sentinel_blocklist),
      sources: settings.sentinel_sources,
      threshold: settings.sentinel_threshold,
    }),
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
  score: 0,
  terms: 0,
  familySource: null,
  familyVariable: null,
  termSource: null,
  termVariable: null,
}

async function checkWithSentinel(
  request: GuardedRequest<'sentinel'>,
  { sentinel, blocklist, sources, threshold }: SentinelRules,
  known: KnownTexts<SentinelVerdict>,
): Promise<GuardrailResult> {
  const { mode, prompt, givenTexts, verified, metrics } = request
  let verdict: WatchVerdict = nothingFound
  const { tenantId, projectId } = verified
  const owner = `${tenantId} ${projectId} ${blocklist}`
  const unavailable = await run(request, async openBudget => {
    const said = await breathing(collectRuns(prompt.messages, sources), createBreath())
    const runs = [...said, ...runsOfVariables(givenTexts)]
    const budget = openBudget(runs.flatMap(({ parts, otherTexts }) => [...parts, ...otherTexts]))
    const onReuse = () => metrics.verdictReused('sentinel')
    verdict = await watchRuns({ known, owner, budget, onReuse }, sentinel, runs, blockCuts[threshold])
    return namesOf(mode)[outcomeOfAll(verdict, threshold)]
  })
  reportVerdict(request, verdict, threshold)
  const outcome = outcomeOfAll(verdict, threshold)
  return {
    blocked: mode === 'enforce' && outcome === 'block' ? new Refusal('content_blocked') : null,
    unavailable,
    replacements: null,
    show: ({ sentinel_mode }) => ({ sentinel: showVerdict(verdict, namesOf(sentinel_mode)[outcome]) }),
  }
}

/** A term of the blocklist is certain. */
function outcomeOfAll({ score, terms }: SentinelVerdict, threshold: SentinelThreshold): ThresholdOutcome {
  return terms > 0 ? 'block' : outcomeOf(score, threshold)
}

function namesOf(mode: Settings['sentinel_mode']) {
  return { pass: 'passed', flag: 'flagged', block: mode === 'enforce' ? 'blocked' : 'detected' } as const
}

function reportVerdict(request: GuardedRequest<'sentinel'>, verdict: WatchVerdict, threshold: SentinelThreshold): void {
  const { score, terms: termCount, familySource, familyVariable, termSource, termVariable } = verdict
  const [patternFamily] = verdict.families
  const names = namesOf(request.mode)
  const outcome = outcomeOf(score, threshold)
  if (patternFamily !== undefined && outcome !== 'pass') {
    const place = { source: familySource ?? undefined, variable: familyVariable ?? undefined }
    const found = { patternFamily, score: writeScore(score), ...place }
    report(request, { type: 'sentinel_jailbreak', actionTaken: names[outcome], ...found })
  }
  if (termCount > 0) {
    const place = { source: termSource ?? undefined, variable: termVariable ?? undefined }
    report(request, { type: 'sentinel_blocklist', actionTaken: names.block, termCount, ...place })
  }
}

function showVerdict(
  { families, terms, score, familyVariable, termVariable }: WatchVerdict,
  verdict: TrialFindings['sentinel']['verdict'],
): TrialFindings['sentinel'] {
  const outcomes = sentinelThresholds.map(name => [name, outcomeOf(score, name)])
  const variable = familyVariable ?? termVariable
  return { verdict, families, terms, variable, score: writeScore(score), thresholds: Object.fromEntries(outcomes) }
}
