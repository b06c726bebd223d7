// Sends the requests of a project as they end, as server-sent events, to a person who watches. Each watcher costs a
// query a second, whatever the traffic is; of more than 200 in a second, the newest are sent.

import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../domain/errors.ts'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import type { RequestRow } from '../../storage/request-log/filtered-rows.ts'
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
        // What cannot be asked for is refused before the stream begins.
        const first = await listRecent(management, filter)
        return {
          status: 200,
          async write(exchange) {
            watchers++
            await watch(management, { filter, owned, first }, exchange).finally(() => watchers--)
          },
        }
      },
    }),
  ]
}

interface Watched {
  filter: RequestFilter
  owned: Reader
  /** The rows before it began, which are not sent. */
  first: readonly RequestRow[]
}

async function listRecent({ requestDays, requests, now }: ManagementDependencies, filter: RequestFilter) {
  await requests.flush()
  const recent = { ...filter, from: Math.max(filter.from, now() - lookBackMs) }
  return (await listRequests(requestDays, recent, { after: null, limit: rowsAtOnce })).rows
}

async function watch(
  management: ManagementDependencies,
  { filter, owned, first }: Watched,
  { request, response, onCutOff }: Exchange,
): Promise<void> {
  let isOver = false
  onCutOff(() => {
    isOver = true
  })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  if (request.method === 'HEAD') return void response.end()
  response.write(': requests that end from now on\n\n')
  const endsAt = management.now() + longestMs
  let sent = idsOf(first)
  for (;;) {
    // A comment shows that the connection lives.
    await sleep(everyMs)
    if (isOver || response.destroyed || management.now() >= endsAt) break
    const rows = await listRecent(management, filter)
    const added = rows.filter(({ id }) => !sent.has(id)).reverse()
    const text = added.map(row => `data: ${JSON.stringify(showRequest(row, owned))}\n\n`).join('')
    response.write(text === '' ? ':\n\n' : text)
    sent = idsOf(rows)
  }
  response.end()
}

const idsOf = (rows: readonly RequestRow[]) => new Set(rows.map(({ id }) => id))
