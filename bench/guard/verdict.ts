// Judges the comparisons of a run of the guard, and writes them as a line of a table.
import type { Comparison } from './compare-pair.ts'

/** How much more processor time the working tree may take than its base. */
export const maxRatio = 1.03

export function isAbove({ ratio }: Pick<Comparison, 'ratio'>): boolean {
  return ratio > maxRatio
}

export interface GuardRun {
  date: Date
  base: string
  head: string
  comparisons: readonly Pick<Comparison, 'name' | 'base' | 'head' | 'bare' | 'ratio'>[]
}

export function renderHead(names: readonly string[]): string {
  const cells = ['Date', 'Base', 'Head', ...names, 'Result']
  return `| ${cells.join(' | ')} |\n|${cells.map(() => '---|').join('')}\n`
}

/** Each cell has the ratio and, in brackets, the base's and the head's multiples of the bare proxy. */
export function renderLine({ date, base, head, comparisons }: GuardRun): string {
  const figures = comparisons.map(each => {
    const [ofBase, ofHead] = [each.base / each.bare, each.head / each.bare]
    return `${each.ratio.toFixed(3)} (${ofBase.toFixed(2)}, ${ofHead.toFixed(2)})`
  })
  const above = comparisons.filter(isAbove).map(({ name }) => name)
  const result = above.length === 0 ? 'pass' : `fail: ${above.join('; ')}`
  const day = date.toISOString().slice(0, 16).replace('T', ' ')
  return `| ${[day, base, head, ...figures, result].join(' | ')} |\n`
}
