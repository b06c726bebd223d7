// `events`: what happened in a tenant, as a list or as it happens.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagementRoutes } from '@sallyport/sdk'
import { type Command, type Shown, textOption } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { pageOptions, readPage, withNext } from '../frame/pages.ts'
import { createRecentIds } from '../frame/recent-ids.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/tenants/{tenantId}/events'
type Query = NonNullable<ManagementRoutes[`GET ${typeof path}`]['input']['query']>
type Event = ManagementRoutes[`GET ${typeof path}`]['output']['data'][number]

const pollMs = 2000

export const eventsCommand: Command = {
  name: 'events',
  summary: 'List the events of a tenant, or follow them',
  example: 'sallyport events --follow --type settings_deployed',
  options: [
    ['--follow', 'print events as they happen, until Ctrl+C'],
    ['--type <type>', 'of one type, such as pii_block'],
    ...pageOptions,
  ],
  async run(input, context) {
    const { id: tenantId } = await context.tenant()
    const type = textOption(input, 'type')
    // The server names the types that there are, if it is none of them.
    const query = (type === undefined ? {} : { type }) as Query
    if (input.options['follow'] === true) return { lines: follow(context, tenantId, query) }
    const request = { path: { tenantId }, query: { ...query, ...readPage(input) } }
    const page = await context.client().request('GET', path, request)
    const text = renderTable(
      page.data,
      [
        ['AT', event => event.created_at],
        ['TYPE', event => event.type],
        ['DATA', event => JSON.stringify(event.data)],
      ],
      terminalWidth(),
    )
    return { json: page, text: withNext(text, page.next_cursor) }
  },
}

async function* follow(context: Context, tenantId: string, query: Query): AsyncIterable<Shown> {
  const { signal } = context
  const shown = createRecentIds()
  const read = async () => {
    const request = { path: { tenantId }, query: { ...query, limit: 200 } }
    const { data } = await context.client().request('GET', path, request)
    return data.reverse()
  }
  for (const { id } of await read()) shown.add(id)
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    for (const event of await read()) if (shown.add(event.id)) yield showEvent(event)
  }
}

function showEvent(event: Event): Shown {
  return { json: event, text: [event.created_at, event.type, JSON.stringify(event.data)].join('  ') }
}
