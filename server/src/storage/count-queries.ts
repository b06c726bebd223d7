// Tells of every statement how long it took. Sees its text and its values go by, and keeps neither.
import type { LogEvent } from 'kysely'
import type { Metrics } from '../domain/metrics.ts'

export function countQueries(metrics: Pick<Metrics, 'queried'> | undefined): (event: LogEvent) => void {
  return ({ level, queryDurationMillis }) => metrics?.queried(queryDurationMillis, level === 'error')
}
