// Computes medians and ratios, and renders the table.
import type { Mode, Round } from './load.ts'
import { aloneName } from './target.ts'

export interface Measured {
  target: string
  mode: Mode
  rounds: Round[]
}

export interface Row {
  target: string
  medians: Round
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

export function summarise({ rounds }: Measured): Round {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Round)[]
  const of = (name: keyof Round) => rounds.map(round => round[name])
  // The worst head is a maximum and not a median: the figure exists to find streams that wait for others.
  return Object.fromEntries(
    names.map(name => [name, name === 'worstHeadMs' ? Math.max(...of(name)) : median(of(name))]),
  ) as unknown as Round
}

export function renderMode(mode: Mode, measured: Measured[]): string {
  const rows = measured.map(each => ({ target: each.target, medians: summarise(each) }))
  return mode.kind === 'short' ? renderShort(mode, rows) : renderStreams(mode, rows)
}

function renderShort(mode: Mode, rows: Row[]): string {
  const nginx = rows.find(row => row.target === 'nginx')?.medians
  const portkey = rows.find(row => row.target === 'Portkey')?.medians
  const head = [
    'req/s',
    '÷ nginx',
    '÷ Portkey',
    'p50 ms',
    'p99 ms',
    'p99 ÷ nginx',
    'CPU µs/req',
    '÷ nginx',
    'core %',
    'RSS MB',
    ...(mode.newcomers === undefined ? [] : ['longest wait ms']),
    ...(mode.showsHits === true ? ['hits %'] : []),
  ]
  const cells = rows.map(({ target, medians: own }) => [
    target,
    own.requestsPerSecond.toFixed(0),
    ratio(own.requestsPerSecond, nginx?.requestsPerSecond),
    ratio(own.requestsPerSecond, portkey?.requestsPerSecond),
    own.p50Ms.toFixed(2),
    own.p99Ms.toFixed(2),
    ratio(own.p99Ms, nginx?.p99Ms),
    own.cpuMicros.toFixed(1),
    ratio(own.cpuMicros, nginx?.cpuMicros),
    own.corePercent.toFixed(0),
    own.residentMegabytes.toFixed(0),
    ...(mode.newcomers === undefined ? [] : [own.worstHeadMs.toFixed(0)]),
    ...(mode.showsHits === true ? [own.hitPercent.toFixed(1)] : []),
  ])
  return renderTable(mode.name, head, cells)
}

function renderStreams(mode: Mode, rows: Row[]): string {
  const nginx = rows.find(row => row.target === 'nginx')?.medians
  const alone = rows.find(row => row.target === aloneName)?.medians
  const head = ['chunks/s', '÷ upstream alone', 'worst head ms', 'CPU µs/chunk', '÷ nginx', 'core %', 'RSS MB']
  const cells = rows.map(({ target, medians: own }) => [
    target,
    own.chunksPerSecond.toFixed(0),
    ratio(own.chunksPerSecond, alone?.chunksPerSecond),
    own.worstHeadMs.toFixed(0),
    own.cpuMicros.toFixed(2),
    ratio(own.cpuMicros, nginx?.cpuMicros),
    own.corePercent.toFixed(0),
    own.residentMegabytes.toFixed(0),
  ])
  return renderTable(mode.name, head, cells)
}

/** Markdown that is also readable in a terminal. */
export function renderTable(title: string, head: string[], cells: string[][]): string {
  const all = [[title, ...head], ...cells]
  const widths = all[0]!.map((_, column) => Math.max(...all.map(row => row[column]!.length)))
  const line = (row: string[]) =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join(' | ')} |`
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(all[0]!), rule, ...cells.map(line)].join('\n')
}

function ratio(own: number, other: number | undefined): string {
  return other === undefined || other === 0 || own === 0 ? '' : (own / other).toFixed(2)
}

export interface Goal {
  words: string
  reached: number
  wanted: string
  met: boolean
  /** The run fails if the goal is not met. */
  isBinding: boolean
}

export function renderGoals(goals: readonly Goal[]): string {
  return goals.map(goal => `${goal.met ? 'reached    ' : 'NOT reached'}  ${describeGoal(goal)}`).join('\n')
}

export function describeGoal({ words, reached, wanted }: Goal): string {
  return `${words}: ${reached.toFixed(2)} (asked: ${wanted})`
}
