// Applies Sentinel to the texts of one prompt, with a cache of earlier verdicts: each run is scanned once.

import { type TextSource, textSources } from '../domain/guardrails/guardrail-event.ts'
import type { KnownTexts } from './known-texts.ts'
import { forEachYielding } from './prompt-texts.ts'
import { patternFamilies } from './sentinel/pattern-families.ts'
import type { Sentinel, SentinelVerdict } from './sentinel/sentinel.ts'
import type { TextRun } from './sentinel/text-runs.ts'
import { TextParts } from './text-parts.ts'
import { breathing, type WorkBudget } from './work-budget.ts'

/** The verdict on all texts of a prompt. */
export interface WatchVerdict extends SentinelVerdict {
  /** The first source that has a text of the first family; null without a family. */
  familySource: TextSource | null
  /** The first variable that has a text of the first family; null if none has. */
  familyVariable: string | null
  /** The first source that has a term; null without a term. */
  termSource: TextSource | null
  termVariable: string | null
}

interface WatchDependencies {
  known: KnownTexts<SentinelVerdict>
  /** Identifies the owner of the texts and the revision of the blocklist. */
  owner: string
  budget: WorkBudget
  /** Called when a cached verdict is used. */
  onReuse(): void
}

/** `blockCut`: the score from which a text is blocked. */
export async function watchRuns(
  { known, owner, budget, onReuse }: WatchDependencies,
  sentinel: Sentinel,
  runs: readonly TextRun[],
  blockCut: number,
): Promise<WatchVerdict> {
  const verdicts: SentinelVerdict[] = []
  const withTerms: TextRun[] = []
  for (const run of runs) {
    const { text, revision } = await nameOf(run, budget)
    let verdict = known.find(text, `${owner} ${revision}`)
    if (verdict !== undefined) onReuse()
    else {
      verdict = await sentinel.scan([run], budget)
      known.keep(text, `${owner} ${revision}`, verdict)
    }
    await budget.breathe()
    verdicts.push(verdict)
    if (verdict.terms > 0) withTerms.push(run)
  }
  const score = verdicts.reduce((max, verdict) => Math.max(max, verdict.score), 0)
  // Texts that are only flagged do not name the family of a text that is blocked.
  const decisive = new Set(verdicts.filter(verdict => verdict.score >= Math.min(score, blockCut)))
  const found = new Set([...decisive].flatMap(({ families }) => families))
  const families = patternFamilies.filter(family => found.has(family))
  const [first] = families
  const sourceWith = (isWanted: (verdict: SentinelVerdict) => boolean) =>
    textSources.find(source => runs.some((run, at) => run.source === source && isWanted(verdicts[at]!))) ?? null
  const variableWith = (isWanted: (verdict: SentinelVerdict) => boolean) =>
    runs.find((run, at) => run.variable !== undefined && isWanted(verdicts[at]!))?.variable ?? null
  const isOfFirst = (verdict: SentinelVerdict) =>
    first !== undefined && decisive.has(verdict) && verdict.families.includes(first)
  const hasTerms = ({ terms }: SentinelVerdict) => terms > 0
  return {
    families,
    score,
    terms: await countTerms(sentinel, verdicts, withTerms, budget),
    familySource: sourceWith(isOfFirst),
    familyVariable: variableWith(isOfFirst),
    termSource: sourceWith(hasTerms),
    termVariable: variableWith(hasTerms),
  }
}

/**
 * A verdict holds only the number of terms. If several runs contain terms, they are scanned again together, so that a
 * term that occurs in two of them counts once.
 */
async function countTerms(
  sentinel: Sentinel,
  verdicts: readonly SentinelVerdict[],
  withTerms: readonly TextRun[],
  budget: WorkBudget,
): Promise<number> {
  if (withTerms.length < 2) return verdicts.reduce((max, { terms }) => Math.max(max, terms), 0)
  return (await sentinel.scan(withTerms, budget)).terms
}

/** The verdict depends on where the parts are cut and on which of them are text, so both are part of the cache key. */
async function nameOf({ parts, otherTexts }: TextRun, budget: WorkBudget): Promise<{ text: string; revision: string }> {
  const [only] = parts
  if (parts.length === 1 && otherTexts.length === 0) return { text: only!, revision: '' }
  const lengths = new TextParts()
  const addLengths = (pieces: readonly string[]) =>
    breathing(
      forEachYielding(pieces, piece => lengths.add(`${piece.length} `)),
      budget.breathe,
    )
  await addLengths(parts)
  lengths.add('/')
  await addLengths(otherTexts)
  const text = parts.join('') + otherTexts.join('')
  await budget.breathe()
  return { text, revision: lengths.whole() }
}
