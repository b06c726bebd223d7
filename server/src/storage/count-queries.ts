// Records the duration of every statement. Must not keep a statement's text or values.
import type { LogEvent } from 'kysely'
import type { Metrics } from '../domain/metrics.ts'

export function countQueries(metrics: Pick<Metrics, 'queryEnded'> | undefined): (event: LogEvent) => void {
  return ({ level, queryDurationMillis }) => metrics?.queryEnded(queryDurationMillis, level === 'error')
}
