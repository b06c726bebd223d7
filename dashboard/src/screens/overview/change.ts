// A figure against the same figure of the period before, in words.
import { formatPoints, formatShare } from '../../ui/numbers.ts'

/** With `isShare`, the figures are shares of all: 30% after 20% are 10 points more, not 50%. */
export function describeChange(now: number | null, before: number | null, than: string, isShare = false): string {
  if (now === null || before === null) return `none in ${than}`
  if (now === before) return `same as ${than}`
  if (before === 0) return `0 in ${than}`
  return `${now > before ? '▲' : '▼'} ${isShare ? formatPoints(Math.abs(now - before)) : formatShare(Math.abs(now - before), before)} vs ${than}`
}
