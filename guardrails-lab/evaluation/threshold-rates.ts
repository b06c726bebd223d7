// Counts how many texts of each kind reach each threshold of Sentinel: texts of the authors that were kept apart from
// training, and harmless texts that programs write or that resemble orders. The docs show the figures of the result.

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { blockCuts, flagCut } from '../../server/src/domain/guardrails/sentinel-threshold.ts'
import { createSentinel } from '../../server/src/guardrails/sentinel/sentinel.ts'
import { createWorkBudget } from '../../server/src/guardrails/work-budget.ts'
import { type AttackRecord, heldOutFolder, isAttackRecord, readLabelledRecords } from './labelled-records.ts'
import { readMails } from './mails.ts'
import { numberedObjects } from './numbered-objects.ts'
import { readPublicMessages } from './public-texts.ts'
import { thirdPersons } from './third-persons.ts'

const weightsFile = new URL('../../server/src/guardrails/sentinel/model/weights.bin', import.meta.url).pathname

const cuts = { flagged: flagCut, ...blockCuts }
export type Cut = keyof typeof cuts

/** `flagged` counts the texts that a threshold blocks too. */
export type Rates = { texts: number } & Record<Cut, number>

export interface ThresholdRates {
  /** The first characters of the SHA-256 of the weights. */
  weights: string
  cuts: Record<Cut, number>
  /** By kind; `all` has the kinds that are too rare for a line of their own too. */
  attacks: Record<string, Rates>
  harmless: Record<string, Rates>
  programs: Record<string, Rates>
  /** Harmless: people who do not follow rules. */
  thirdPersons: Record<string, Rates>
}

const minTextsOfKind = 100

/** `readsRepository`: also this repository's TypeScript, which changes with each commit. */
export async function measureThresholds(readsRepository: boolean): Promise<ThresholdRates> {
  const records = readLabelledRecords([heldOutFolder]).filter(isAttackRecord)
  const ofKind = (kind: AttackRecord['kind']) => countByKind(records.filter(record => record.kind === kind))
  return {
    weights: hash('sha256', readFileSync(weightsFile)).slice(0, 16),
    cuts,
    attacks: await ofKind('attack'),
    harmless: await ofKind('benign'),
    programs: {
      numbered_objects: await count(numberedObjects()),
      ...(readsRepository ? { repository_typescript: await count(readRepository()) } : {}),
    },
    thirdPersons: await countFamilies(thirdPersons()),
  }
}

/** By kind; half of the conversations are trained on. */
export async function measureMails(folder: string): Promise<{ kind: string; isHeldOut: boolean; rates: Rates }[]> {
  const groups = Map.groupBy(readMails(folder), ({ kind, isHeldOut }) => `${kind}/${isHeldOut}`)
  const measured = []
  for (const mails of groups.values()) {
    const { kind, isHeldOut } = mails[0]!
    measured.push({ kind, isHeldOut, rates: await count(mails.map(({ text }) => text)) })
  }
  return measured
}

async function countFamilies(families: Readonly<Record<string, readonly string[]>>): Promise<Record<string, Rates>> {
  const rates: Record<string, Rates> = { all: await count(Object.values(families).flat()) }
  for (const [family, texts] of Object.entries(families)) rates[family] = await count(texts)
  return rates
}

async function countByKind(records: readonly AttackRecord[]): Promise<Record<string, Rates>> {
  const kinds = Map.groupBy(records, ({ families }) => families[0] ?? 'unnamed')
  const rates: Record<string, Rates> = { all: await count(records.map(({ text }) => text)) }
  for (const [kind, ofKind] of [...kinds].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (ofKind.length >= minTextsOfKind) rates[kind] = await count(ofKind.map(({ text }) => text))
  }
  return rates
}

const sentinel = createSentinel([])

async function count(texts: Iterable<string>): Promise<Rates> {
  const rates: Rates = { texts: 0, flagged: 0, strict: 0, balanced: 0, lenient: 0 }
  for (const text of texts) {
    const budget = createWorkBudget(1_000_000 + 40 * text.length)
    const { score } = await sentinel.scan([{ parts: [text], otherTexts: [] }], budget)
    rates.texts++
    for (const cut of Object.keys(cuts) as Cut[]) if (score >= cuts[cut]) rates[cut]++
  }
  return rates
}

function* readRepository(): Generator<string> {
  for (const { text } of readPublicMessages(['repository'])) yield text
}
