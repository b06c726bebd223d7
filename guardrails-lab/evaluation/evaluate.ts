// Runs the guardrails on labelled texts as the product does, and counts the results.

import { blockCuts } from '../../server/src/domain/guardrails/sentinel-threshold.ts'
import { type EntityType, entityTypes } from '../../server/src/domain/settings/settings.ts'
import { findEntities } from '../../server/src/guardrails/pii/find-entities.ts'
import { createSentinel } from '../../server/src/guardrails/sentinel/sentinel.ts'
import { createWorkBudget, WorkBudgetExceeded } from '../../server/src/guardrails/work-budget.ts'
import { type AttackTally, countAttack, createAttackTally } from './attack-tally.ts'
import type { AttackRecord, PiiRecord } from './labelled-records.ts'
import { countFinds, createPiiTally, type PiiTally } from './pii-tally.ts'
import type { PublicMessage, PublicPart } from './public-texts.ts'
import { type Timed, timeTexts } from './stopwatch.ts'

export interface PiiResult {
  records: number
  all: PiiTally
  bySource: Map<string, PiiTally>
  allTypes: Timed<unknown>
  /** Without PERSON and LOCATION, which the tagger finds. */
  withoutNames: Timed<unknown>
}

/** Matches of PII Shield in harmless texts: nearly all of them are false positives. */
export interface AlarmResult {
  bySource: Map<string, Alarms>
}

export interface Alarms {
  kilobytes: number
  finds: Map<EntityType, number>
}

export interface SentinelResult {
  records: number
  tally: AttackTally
  time: Timed<unknown>
  /** The number of texts that exceeded the work budget of a request. */
  overBudget: number
}

const everyType: ReadonlySet<EntityType> = new Set(entityTypes)
const withoutNames: ReadonlySet<EntityType> = new Set(
  entityTypes.filter(type => type !== 'PERSON' && type !== 'LOCATION'),
)

/** The same budget as the product's for a request of that length. */
const budgetFor = (text: string) => createWorkBudget(1_000_000 + 40 * text.length)

export async function evaluatePii(records: readonly PiiRecord[]): Promise<PiiResult> {
  const texts = records.map(record => record.text)
  const find = (types: ReadonlySet<EntityType>) => (text: string) => findEntities(text, types, budgetFor(text))
  const allTypes = await timeTexts(texts, find(everyType))
  const all = createPiiTally()
  const bySource = new Map<string, PiiTally>()
  for (const [index, record] of records.entries()) {
    const ofSource = bySource.get(record.source) ?? createPiiTally()
    bySource.set(record.source, ofSource)
    for (const tally of [all, ofSource]) countFinds(tally, record, allTypes.results[index] ?? [])
  }
  return { records: records.length, all, bySource, allTypes, withoutNames: await timeTexts(texts, find(withoutNames)) }
}

export async function evaluateAlarms(records: readonly AttackRecord[]): Promise<AlarmResult> {
  const bySource = new Map<string, Alarms>()
  for (const { kind, source, text } of records) {
    if (kind !== 'benign') continue
    const alarms = bySource.get(source) ?? { kilobytes: 0, finds: new Map() }
    bySource.set(source, alarms)
    alarms.kilobytes += Buffer.byteLength(text) / 1024
    for (const { type } of await findEntities(text, everyType, budgetFor(text))) {
      alarms.finds.set(type, (alarms.finds.get(type) ?? 0) + 1)
    }
  }
  return { bySource }
}

export async function evaluateSentinel(records: readonly AttackRecord[]): Promise<SentinelResult> {
  const sentinel = createSentinel([])
  const scan = (text: string) => sentinel.scan([{ parts: [text], otherTexts: [] }], budgetFor(text))
  const time = await timeTexts(
    records.map(record => record.text),
    text => judge(() => scan(text)),
  )
  const tally = createAttackTally()
  // A text that exceeds the budget counts as a hit, because an enforced Sentinel rejects the request.
  for (const [index, record] of records.entries()) countAttack(tally, record, time.results[index] !== 'passed')
  return { records: records.length, tally, time, overBudget: time.results.filter(found => found === 'too much').length }
}

/** `seen`: packages whose hits were looked at when rules were written. `heldOut`: the others. */
export interface PublicResult {
  seen: PublicCounts
  heldOut: PublicCounts
}

export interface PublicCounts {
  messages: number
  megabytes: number
  hits: number
}

export async function evaluatePublic(messages: Iterable<PublicMessage>): Promise<Map<PublicPart, PublicResult>> {
  const sentinel = createSentinel([])
  const results = new Map<PublicPart, PublicResult>()
  for (const { part, isHeldOut, text } of messages) {
    const result = results.get(part) ?? { seen: { ...noMessages }, heldOut: { ...noMessages } }
    results.set(part, result)
    const counts = isHeldOut ? result.heldOut : result.seen
    counts.messages += 1
    counts.megabytes += Buffer.byteLength(text) / bytesPerMegabyte
    const verdict = await judge(() => sentinel.scan([{ parts: [text], otherTexts: [] }], budgetFor(text)))
    if (verdict !== 'passed') counts.hits += 1
  }
  return results
}

const noMessages: PublicCounts = { messages: 0, megabytes: 0, hits: 0 }
const bytesPerMegabyte = 1 << 20

async function judge(scan: () => Promise<{ score: number }>): Promise<'hit' | 'passed' | 'too much'> {
  try {
    return (await scan()).score >= blockCuts.balanced ? 'hit' : 'passed'
  } catch (error) {
    if (!(error instanceof WorkBudgetExceeded)) throw error
    return 'too much'
  }
}
