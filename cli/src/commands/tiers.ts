// `tiers`: named overrides of a project's settings. They are drafts, too.
import type { ManagementRoutes } from '@sallyport/sdk'
import { readAssignments } from '../frame/assignments.ts'
import { type Command, textOption } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { Failure } from '../frame/failure.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/projects/{projectId}/tiers'
type Tiers = ManagementRoutes[`GET ${typeof path}`]['output']
type Overrides = NonNullable<ManagementRoutes[`POST ${typeof path}`]['input']['body']['overrides']>

export const tierCommands: readonly Command[] = [
  {
    name: 'tiers',
    summary: 'List the tiers of a project; set, remove them',
    example: 'sallyport tiers',
    async run(_input, context) {
      const tiers = await readTiers(context)
      const text = renderTable(
        tiers,
        [
          ['TIER', ({ name }) => name],
          ['ORDER', ({ sort_order }) => sort_order],
          ['OVERRIDES', ({ overrides }) => JSON.stringify(overrides)],
        ],
        terminalWidth(),
      )
      return { json: tiers, text }
    },
  },
  {
    name: 'tiers set',
    summary: 'Create a tier, or replace the overrides that are given',
    example: 'sallyport tiers set gold rpm_limit=600 provider_model=openai/gpt-5',
    args: [
      ['<tier>', 'its name'],
      ['<field=value...>', 'JSON where it is JSON, else text; @FILE reads the value from a file'],
    ],
    options: [['--order <number>', 'where it stands in lists']],
    async run(input, context) {
      const [name = '', ...rest] = input.args
      const overrides = readAssignments(rest) as Overrides
      const order = textOption(input, 'order')
      const position = order === undefined ? {} : { sort_order: Number(order) }
      const { id: projectId } = await context.project()
      const found = (await readTiers(context)).find(tier => tier.name === name)
      const body = { name, overrides: { ...found?.overrides, ...overrides }, ...position }
      const client = context.client()
      const saved =
        found === undefined
          ? await client.request('POST', path, { path: { projectId }, body })
          : await client.request('PUT', `${path}/{tierId}`, { path: { projectId, tierId: found.id }, body })
      return { json: saved, text: `The tier ${name} of the draft is saved.\nNext: sallyport settings diff` }
    },
  },
  {
    name: 'tiers remove',
    summary: 'Remove a tier from the draft',
    example: 'sallyport tiers remove gold',
    args: [['<tier>', 'its name']],
    async run({ args: [name = ''] }, context) {
      const { id: projectId } = await context.project()
      const found = (await readTiers(context)).find(tier => tier.name === name)
      if (found === undefined) throw new Failure(`There is no tier ${name}`, '`sallyport tiers` lists them.')
      await context.client().request('DELETE', `${path}/{tierId}`, { path: { projectId, tierId: found.id } })
      return { json: { removed: name }, text: `The tier ${name} is removed from the draft.` }
    },
  },
]

async function readTiers(context: Context): Promise<Tiers> {
  const { id: projectId } = await context.project()
  return await context.client().request('GET', path, { path: { projectId } })
}
