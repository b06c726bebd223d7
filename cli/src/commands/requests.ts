// `requests`: the request log of a project, as a list or as requests end.
import type { ManagementRoutes } from '@sallyport/sdk'
import { type Command, type CommandInput, type Shown, textOption } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { toFailure } from '../frame/failure.ts'
import { pageOptions, readPage, withNext } from '../frame/pages.ts'
import { createRecentIds } from '../frame/recent-ids.ts'
import { readServerEvents } from '../frame/server-events.ts'
import { renderTable } from '../frame/table.ts'
import { paint, terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/projects/{projectId}/requests'
type Query = NonNullable<ManagementRoutes[`GET ${typeof path}`]['input']['query']>
type Row = ManagementRoutes[`GET ${typeof path}`]['output']['data'][number]

const filters = [
  'from',
  'to',
  'uid',
  'model',
  'provider',
  'status',
  'error',
  'endpoint',
  'prompt',
  'tier',
  'thread',
  'agent_session',
  'agent',
  'guardrail',
  'feedback',
  'min_latency_ms',
  'min_cost_usd',
  'q',
] as const
const reconnectMs = 1000

export const requestsCommand: Command = {
  name: 'requests',
  summary: 'List the requests of a project, or follow them',
  example: 'sallyport requests --follow --status 5xx',
  options: [
    ['--follow', 'print requests as they end, until Ctrl+C'],
    ['--status <status>', 'such as 200 or 5xx'],
    ['--error <code>', 'such as rate_limited'],
    ['--uid <uid>', 'of one end user'],
    ['--model <model>', 'that a model answered'],
    ['--provider <provider>', 'that a provider answered'],
    ['--endpoint <endpoint>', 'such as chat_completions'],
    ['--prompt <name>', 'that named a prompt'],
    ['--tier <tier>', 'of a tier'],
    ['--thread <id>', 'of one conversation'],
    ['--agent-session <id>', 'of one session of a coding agent'],
    ['--agent <id>', 'of one agent in such a session'],
    ['--guardrail <word>', 'with an event of this type, or an action such as blocked'],
    ['--feedback <kind>', 'any, positive or negative'],
    ['--min-latency-ms <number>', 'that took at least so long'],
    ['--min-cost-usd <number>', 'that cost at least so much'],
    ['--q <start>', 'whose id begins so'],
    ['--from <time>', 'not before, in ISO 8601'],
    ['--to <time>', 'before, in ISO 8601'],
    ...pageOptions,
  ],
  async run(input, context) {
    const { id: projectId } = await context.project()
    const query = readQuery(input)
    if (input.options['follow'] === true) return { lines: follow(context, projectId, query) }
    const request = { path: { projectId }, query: { ...query, ...readPage(input) } }
    const page = await context.client().request('GET', path, request)
    const text = renderTable(
      page.data,
      [
        ['AT', ({ at }) => at],
        ['STATUS', ({ status }) => status],
        ['MS', row => row.latency_ms],
        ['MODEL', row => row.model ?? row.model_asked],
        ['TOKENS', ({ tokens }) => tokens.prompt + tokens.completion],
        ['USD', row => row.cost_usd],
        ['USER', ({ uid }) => uid],
        ['ERROR', describeError],
        ['ID', ({ id }) => id],
      ],
      terminalWidth(),
    )
    return { json: page, text: withNext(text, page.next_cursor) }
  },
}

function readQuery(input: CommandInput): Query {
  const optionOf = (name: string) => name.replace(/_./g, ([, letter = '']) => letter.toUpperCase())
  const given = filters.map(name => [name, textOption(input, optionOf(name))] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

/** The server ends a stream after ten minutes; what ended between two streams comes from the list. */
async function* follow(context: Context, projectId: string, query: Query): AsyncIterable<Shown> {
  const { signal } = context
  const client = context.client()
  const shown = createRecentIds()
  for (const { id } of await listNewest(context, projectId, query)) shown.add(id)
  while (!signal.aborted) {
    const stream = await client.request('GET', `${path}/live`, { path: { projectId }, query })
    for (const row of await listNewest(context, projectId, query)) if (shown.add(row.id)) yield showRow(row)
    try {
      for await (const data of readServerEvents(stream, signal)) {
        const row = JSON.parse(data) as Row
        if (shown.add(row.id)) yield showRow(row)
      }
    } catch (error) {
      // A connection that breaks is opened again.
      if (toFailure(error) === null) throw error
    }
    if (!signal.aborted) await new Promise(resolve => setTimeout(resolve, reconnectMs))
  }
}

/** Oldest first, as they would have come. */
async function listNewest(context: Context, projectId: string, query: Query): Promise<Row[]> {
  const page = await context.client().request('GET', path, { path: { projectId }, query: { ...query, limit: 50 } })
  return page.data.reverse()
}

/** With the budget or the limit that rejected the request. */
function describeError({ error, budget, limit }: Row): string | null {
  const exceeded = budget ?? limit
  return exceeded === null ? error : `${error} (${exceeded.level}, ${exceeded.period})`
}

function showRow(row: Row): Shown {
  const { at, status, latency_ms: latencyMs, model, model_asked: asked, tokens, cost_usd: usd, uid } = row
  const error = describeError(row)
  const facts = [
    at.slice(11, 23),
    paint(status < 400 ? 'green' : 'red', String(status)),
    `${latencyMs} ms`,
    model ?? asked ?? '-',
    `${tokens.prompt + tokens.completion} tokens`,
    `$${usd}`,
    uid ?? '-',
  ]
  return { json: row, text: [...facts, ...(error === null ? [] : [error])].join('  ') }
}
