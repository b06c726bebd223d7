// Sends the requests of a project as they end, as server-sent events, to a person who watches. Each watcher costs a
// query a second, whatever the traffic is; of more than 200 in a second, the newest are sent.

import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../domain/errors.ts'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import { listRequests } from '../../storage/request-log/list-requests.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Exchange, type Route, route } from '../plane/route.ts'
import { filterQuery, type Reader, readFilter, showRequest } from './request-query.ts'

const everyMs = 1_000
const rowsAtOnce = 200
/** A row comes when its request has ended: so long before, it may have begun. */
const lookBackMs = 15 * 60 * 1000
/** The client connects again, with a session that may have ended meanwhile. */
const longestMs = 10 * 60 * 1000
/** Of this process. */
const maxWatchers = 100

export function liveRequestRoutes(management: ManagementDependencies): Route[] {
  let watchers = 0
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/requests/live',
      operation: 'watchRequests',
      summary: 'Watch the requests of a project as they end; each event is a row of the list',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      query: filterQuery,
      answers: { 200: 'events' },
      refusals: ['too_many_watchers'],
      async handle({ owned, query }) {
        const filter = await readFilter(management, owned.project.id, query)
        if (watchers >= maxWatchers) throw new Refusal('too_many_watchers')
        return {
          status: 200,
          async write(exchange) {
            watchers++
            await watch(management, { filter, owned }, exchange).finally(() => watchers--)
          },
        }
      },
    }),
  ]
}

interface Watched {
  filter: RequestFilter
  owned: Reader
}

async function watch(
  { requestDays, requests, now }: ManagementDependencies,
  { filter, owned }: Watched,
  { request, response, onCutOff }: Exchange,
): Promise<void> {
  let isOver = false
  onCutOff(() => {
    isOver = true
  })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  if (request.method === 'HEAD') return void response.end()
  response.write(': requests that end from now on\n\n')
  const endsAt = now() + longestMs
  let sent: ReadonlySet<string> | null = null
  while (!isOver && !response.destroyed && now() < endsAt) {
    await requests.flush()
    const recent = { ...filter, from: Math.max(filter.from, now() - lookBackMs) }
    const { rows } = await listRequests(requestDays, recent, { after: null, limit: rowsAtOnce })
    const known = sent
    const added = known === null ? [] : rows.filter(({ id }) => !known.has(id)).reverse()
    // A comment shows that the connection lives.
    const text = added.map(row => `data: ${JSON.stringify(showRequest(row, owned))}\n\n`).join('')
    response.write(text === '' ? ':\n\n' : text)
    sent = new Set(rows.map(({ id }) => id))
    await sleep(everyMs)
  }
  response.end()
}
