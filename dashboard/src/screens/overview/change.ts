// A figure against the same figure of the period before, in words.
import { formatShare } from '../../ui/numbers.ts'

export function describeChange(now: number | null, before: number | null, than: string): string {
  if (now === null || before === null) return `none in ${than}`
  if (now === before) return `same as ${than}`
  if (before === 0) return `0 in ${than}`
  return `${now > before ? '▲' : '▼'} ${formatShare(Math.abs(now - before), before)} vs ${than}`
}
