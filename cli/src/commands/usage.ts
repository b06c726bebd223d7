// `usage`: requests, tokens and cost of a project.
import type { ManagementRoutes } from '@sallyport/sdk'
import { type Command, type CommandInput, textOption } from '../frame/command.ts'
import { Failure } from '../frame/failure.ts'
import { pageOptions, readPage, withNext } from '../frame/pages.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/projects/{projectId}/usage'
type Query = NonNullable<ManagementRoutes[`GET ${typeof path}`]['input']['query']>

const groups = ['day', 'model', 'uid', 'endpoint'] as const

export const usageCommand: Command = {
  name: 'usage',
  summary: 'Show requests, tokens and cost of a project',
  example: 'sallyport usage --by model --from 2026-11-01',
  options: [
    ['--by <group>', `${groups.join(', ')} (default: day)`],
    ['--from <day>', 'the first day, as YYYY-MM-DD'],
    ['--to <day>', 'the last day, as YYYY-MM-DD'],
    ['--uid <uid>', 'of one end user'],
    ...pageOptions,
  ],
  async run(input, context) {
    const { id: projectId } = await context.project()
    const group = readGroup(input)
    const query = { ...readFilter(input), ...readPage(input), group_by: group }
    const page = await context.client().request('GET', path, { path: { projectId }, query })
    const total = { ...page.totals, uid: 'total', day: 'total', model: 'total', endpoint: 'total' }
    const text = renderTable(
      [...page.data, total],
      [
        [group.toUpperCase(), row => row[group]],
        ['REQUESTS', row => row.requests],
        ['PROMPT', row => row.prompt_tokens],
        ['COMPLETION', row => row.completion_tokens],
        ['USD', row => row.cost_usd],
      ],
      terminalWidth(),
    )
    return { json: page, text: withNext(text, page.next_cursor) }
  },
}

function readGroup(input: CommandInput): (typeof groups)[number] {
  const wanted = textOption(input, 'by') ?? 'day'
  const group = groups.find(one => one === wanted)
  if (group === undefined) throw new Failure(`--by must be one of ${groups.join(', ')}`)
  return group
}

function readFilter(input: CommandInput): Query {
  const given = (['from', 'to', 'uid'] as const).map(name => [name, textOption(input, name)] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}
