// Formats the results of the evaluation as tables of text.

import { type EntityType, entityTypes } from '../../server/src/domain/settings/settings.ts'
import type { AttackTally, Share } from './attack-tally.ts'
import type { AlarmResult, Alarms, PiiResult, PublicCounts, PublicResult, SentinelResult } from './evaluate.ts'
import { type PiiCounts, type PiiTally, scoresOf } from './pii-tally.ts'
import type { Rates } from './threshold-rates.ts'

export function showPii(result: PiiResult, isBySource: boolean): string {
  const { allTypes, withoutNames, records } = result
  const header = ['type', 'F1', 'precision', 'recall', 'exact', 'labels', 'wrong finds']
  const parts = [
    `PII Shield: ${records} texts, ${allTypes.kilobytes.toFixed(0)} KB`,
    table(header, rowsOf(result.all)),
    `Processor time, warm: ${micros(allTypes.perKilobyte)} for all ten types, ` +
      `${micros(withoutNames.perKilobyte)} without PERSON and LOCATION; longest text ${allTypes.maxMs.toFixed(1)} ms`,
  ]
  if (isBySource) {
    const rows = [...result.bySource].flatMap(([source, tally]) => rowsOf(tally).map(row => [source, ...row]))
    parts.push('By source', table(['source', ...header], rows))
  }
  return parts.join('\n\n')
}

function rowsOf(tally: PiiTally): string[][] {
  return [...tally].filter(([, counts]) => hasAny(counts)).map(([type, counts]) => [type, ...cellsOf(counts)])
}

const hasAny = ({ labelled, right, wrong }: PiiCounts) => labelled + right + wrong > 0

function cellsOf(counts: PiiCounts): string[] {
  const { f1, precision, recall, exact } = scoresOf(counts)
  return [...[f1, precision, recall, exact].map(share), String(counts.labelled), String(counts.wrong)]
}

const named: readonly EntityType[] = ['PERSON', 'LOCATION', 'DATE_TIME']
const structural = entityTypes.filter(type => !named.includes(type))

/** Matches in harmless texts without labels for personal data: some are right, so this is an upper bound. */
export function showAlarms({ bySource }: AlarmResult): string {
  const all: Alarms = { kilobytes: 0, finds: new Map() }
  for (const { kilobytes, finds } of bySource.values()) {
    all.kilobytes += kilobytes
    for (const [type, count] of finds) all.finds.set(type, (all.finds.get(type) ?? 0) + count)
  }
  const per10 = ({ kilobytes, finds }: Alarms, types: readonly EntityType[]) => {
    const count = types.reduce((sum, type) => sum + (finds.get(type) ?? 0), 0)
    return kilobytes === 0 ? '-' : ((count / kilobytes) * 10).toFixed(2)
  }
  const rows = [...bySource, ['all', all] as const].map(([source, alarms]) => [
    source,
    alarms.kilobytes.toFixed(0),
    per10(alarms, structural),
    ...named.map(type => per10(alarms, [type])),
  ])
  const header = ['source', 'KB', 'structural', ...named]
  return `PII Shield on harmless texts without labels for it, finds in 10 KB\n\n${table(header, rows)}`
}

export function showSentinel({ records, tally, time, overBudget }: SentinelResult): string {
  const rows: [string, Share][] = [
    ['attacks in scope seen', tally.inScope],
    ['all attacks seen', tally.attacks],
    ['false alarms, all harmless', tally.benign],
    ['false alarms, hard ones', tally.hard],
    ['false alarms, quotes (apart)', tally.quotes],
  ]
  const parts = [
    `Sentinel: ${records} texts, ${time.kilobytes.toFixed(0)} KB`,
    table(
      ['', 'share', 'texts'],
      rows.filter(([, of]) => of.of > 0).map(([what, of]) => [what, ...shareCells(of)]),
    ),
    `Processor time, warm: ${micros(time.perKilobyte)}; longest text ${time.maxMs.toFixed(1)} ms; over budget: ${overBudget}`,
    showFamilies(tally),
    showShares('technique', tally.byTechnique),
    showShares('language', tally.byLanguage),
    showSources(tally),
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

function showFamilies({ byFamily }: AttackTally): string {
  const sources = [...new Set([...byFamily.values()].flatMap(shares => [...shares.keys()]))].sort()
  if (sources.length === 0) return ''
  const rows = [...byFamily].map(([family, shares]) => [family, ...sources.map(source => brief(shares.get(source)))])
  return `Seen by family: all in scope, and the sources labelled by hand\n\n${table(['family', ...sources], rows)}`
}

function showShares(what: string, shares: Map<string, Share>): string {
  if (shares.size === 0) return ''
  const rows = [...shares].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, of]) => [name, ...shareCells(of)])
  return `Seen by ${what}\n\n${table([what, 'share', 'texts'], rows)}`
}

function showSources({ bySource }: AttackTally): string {
  const header = ['source', 'attacks seen', 'in scope', 'false alarms', 'quotes']
  const rows = [...bySource].map(([source, of]) => [
    source,
    ...[of.attacks, of.inScope, of.benign, of.quotes].map(brief),
  ])
  return `By source\n\n${table(header, rows)}`
}

export function showPublic(results: ReadonlyMap<string, PublicResult>): string {
  const all: PublicResult = {
    seen: sumOf([...results.values()].map(({ seen }) => seen)),
    heldOut: sumOf([...results.values()].map(({ heldOut }) => heldOut)),
  }
  const rows = [...results, ['all', all] as const].flatMap(([part, { seen, heldOut }]) => [
    [part, 'seen', ...publicCells(seen)],
    [part, 'held out', ...publicCells(heldOut)],
  ])
  const header = ['files', '', 'messages', 'MB', 'blocked', 'per MB']
  return `False positives of Sentinel on files of this machine, in messages of at most 4 KB\n\n${table(header, rows)}`
}

export function showMails(measured: readonly { kind: string; isHeldOut: boolean; rates: Rates }[]): string {
  const rows = measured.map(({ kind, isHeldOut, rates }) => [
    kind,
    isHeldOut ? 'held out' : 'seen',
    ...[rates.texts, rates.flagged, rates.strict, rates.balanced, rates.lenient].map(String),
  ])
  const header = ['mails', '', 'number', 'flagged or blocked', 'strict', 'balanced', 'lenient']
  return `False positives of Sentinel on mails, without headers\n\n${table(header, rows)}`
}

function sumOf(counts: readonly PublicCounts[]): PublicCounts {
  const sum = (pick: (one: PublicCounts) => number) => counts.reduce((total, one) => total + pick(one), 0)
  return { messages: sum(one => one.messages), megabytes: sum(one => one.megabytes), hits: sum(one => one.hits) }
}

function publicCells({ messages, megabytes, hits }: PublicCounts): string[] {
  const rate = megabytes === 0 ? '-' : (hits / megabytes).toFixed(2)
  return [String(messages), megabytes.toFixed(2), String(hits), rate]
}

const share = (value: number) => value.toFixed(3)
const micros = (value: number) => `${value.toFixed(0)} µs/KB`

function shareCells({ hits, of }: Share): string[] {
  return [of === 0 ? '-' : (hits / of).toFixed(4), `${hits}/${of}`]
}

function brief(of: Share | undefined): string {
  return of === undefined || of.of === 0 ? '-' : `${(of.hits / of.of).toFixed(3)} (${of.hits}/${of.of})`
}

/** Aligns the first column left, the others right. */
function table(header: string[], rows: string[][]): string {
  const lines = [header, ...rows]
  const widths = header.map((_name, column) => Math.max(...lines.map(line => (line[column] ?? '').length)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return lines.map(line => line.map(pad).join('  ').trimEnd()).join('\n')
}
