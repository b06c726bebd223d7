// The calls of the request log that are measured: what the routes call for lists, sums and groups, each with the filters
// that cost most.
import { everyRequestOf, type RequestFilter } from '../../server/src/domain/requests/request-filter.ts'
import { listRequests } from '../../server/src/storage/request-log/list-requests.ts'
import { type RequestDays, startIdOf } from '../../server/src/storage/request-log/request-days.ts'
import { groupRequests } from '../../server/src/storage/request-log/request-groups.ts'
import { sumRequests } from '../../server/src/storage/request-log/request-stats.ts'
import { dayMs, hourMs, type Plan } from './rows.ts'

export interface MeasuredCall {
  name: string
  /** `number` varies what is asked for, so that a call does not find what the one before has read. */
  run: (number: number) => Promise<unknown>
}

/** What is added to the filter by project. */
type Asked = (number: number) => Partial<RequestFilter>

const userOf: Asked = number => ({ uid: `user-${(number * 37) % 1_500}` })

const middleOf = ({ start, days }: Plan): number => start + Math.floor(days / 2) * dayMs

function lists(plan: Plan): Record<string, Asked> {
  const middle = middleOf(plan)
  return {
    'the newest 50': () => ({}),
    'of an hour in the middle': number => ({ from: middle + number * 60_000, to: middle + number * 60_000 + hourMs }),
    'of an end user': userOf,
    'of a thread': number => ({ thread: `thread-${number * 17}` }),
    'whose id begins so': number => ({ q: startIdOf(middle + number * 60_000).slice(0, 12) }),
    'with a code of an error': () => ({ error: 'provider_timeout' }),
    'that failed': () => ({ error: 'any' }),
    'with a status, 5xx': () => ({ status: { hundreds: 5 } }),
    'of a model': () => ({ model: 'google/gemini-flash' }),
    'of a provider': () => ({ provider: 'google' }),
    'of an endpoint': () => ({ endpoint: 'embeddings' }),
    'of a tier': () => ({ tier: 'trial' }),
    'that took 10 s': () => ({ minLatencyMs: 10_000 }),
    'that a guardrail blocked, one in 5,000': () => ({ guardrail: 'blocked' }),
    'that were judged: none': () => ({ feedback: 'any' }),
    'that cost more than any: none': () => ({ minCostNanoUsd: 1e12 }),
  }
}

function sums({ end }: Plan): Record<string, [bucketMs: number, filter: Asked]> {
  const week = { from: end - 7 * dayMs }
  return {
    'of a day, by hour': [hourMs, () => ({ from: end - dayMs })],
    'of a day, by minute': [60_000, () => ({ from: end - dayMs })],
    'of seven days, by hour': [hourMs, () => week],
    'of seven days, by hour, of a model': [hourMs, () => ({ ...week, model: 'openai/gpt-4o-mini' })],
    'of all days, by hour': [hourMs, () => ({})],
    'of all days, by day': [dayMs, () => ({})],
    'of all days, by day, of a model': [dayMs, () => ({ model: 'openai/gpt-4o' })],
    'of all days, by day, of a tier': [dayMs, () => ({ tier: 'team' })],
    'of all days, by day, of an end user': [dayMs, userOf],
    'of all days, by day, that took 10 s': [dayMs, () => ({ minLatencyMs: 10_000 })],
  }
}

function groups({ end }: Plan): Record<string, [asked: Parameters<typeof groupRequests>[2], filter: Asked]> {
  const byModel = { by: 'model', order: 'requests', limit: 10 } as const
  return {
    'of a day, by model': [byModel, () => ({ from: end - dayMs })],
    'of seven days, by model': [byModel, () => ({ from: end - 7 * dayMs })],
    'of all days, by model': [byModel, () => ({})],
    'of all days, by error': [{ by: 'error', order: 'errors', limit: 10 }, () => ({})],
    'of the newest rows, by end user': [{ by: 'uid', order: 'cost_usd', limit: 10 }, () => ({})],
  }
}

export function callsOf(days: RequestDays, plan: Plan): MeasuredCall[] {
  const filterOf = (number: number, asked: Asked): RequestFilter => ({
    ...everyRequestOf(plan.projectIds[number % plan.projects]!),
    ...asked(number),
  })
  return [
    ...Object.entries(lists(plan)).map(([name, asked]) => ({
      name: `list ${name}`,
      run: (number: number) => listRequests(days, filterOf(number, asked), { after: null, limit: 50 }),
    })),
    ...Object.entries(sums(plan)).map(([name, [bucketMs, asked]]) => ({
      name: `sums ${name}`,
      run: (number: number) => sumRequests(days, filterOf(number, asked), bucketMs),
    })),
    ...Object.entries(groups(plan)).map(([name, [by, asked]]) => ({
      name: `groups ${name}`,
      run: (number: number) => groupRequests(days, filterOf(number, asked), by),
    })),
  ]
}
