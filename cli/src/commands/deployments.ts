// `deploy` and `rollback`: what is live.
import type { Command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { Failure } from '../frame/failure.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'
import { readChanges } from './settings.ts'
import { showChanges, showWarnings } from './show-changes.ts'

const path = '/auth/v1/projects/{projectId}/settings'

export const deployCommand: Command = {
  name: 'deploy',
  summary: 'Make the draft live, and show what that changed',
  example: 'sallyport deploy --project amber-falcon-4821',
  async run(_input, context) {
    const changes = await readChanges(context)
    const { id: projectId, slug } = await context.project()
    const client = context.client()
    const { draft: warnings } = await client.request('GET', `${path}/warnings`, { path: { projectId } })
    const deployed = await client.request('POST', `${path}/deploy`, { path: { projectId } })
    const words = changes.length === 0 ? 'The draft was live already.' : showChanges(changes)
    const text = `${words}${showWarnings(warnings)}\nDeployed ${slug} at ${deployed.deployed_at}.`
    return { json: { ...deployed, changes, warnings }, text }
  },
}

export const rollbackCommand: Command = {
  name: 'rollback',
  summary: 'Make a former deployment live; without a number, list them',
  example: 'sallyport rollback 12',
  args: [['[number]', 'the number of the deployment']],
  async run({ args: [number] }, context) {
    if (number === undefined) return await listDeployments(context)
    if (!/^[1-9]\d*$/.test(number)) throw new Failure(`${number} is no number of a deployment`, listHint)
    const changes = await readChanges(context, number)
    const { id: projectId, slug } = await context.project()
    const input = { path: { projectId, number } }
    const deployed = await context.client().request('POST', `${path}/deployments/{number}/rollback`, input)
    const text = `${showChanges(changes)}\nRolled ${slug} back to deployment ${number} at ${deployed.deployed_at}.`
    return { json: { ...deployed, changes }, text }
  },
}

const listHint = '`sallyport rollback` without a number lists them.'

async function listDeployments(context: Context) {
  const { id: projectId } = await context.project()
  const page = await context.client().request('GET', `${path}/deployments`, { path: { projectId } })
  const text = renderTable(
    page.data,
    [
      ['NUMBER', ({ number }) => number],
      ['DEPLOYED', ({ deployed_at }) => deployed_at],
      ['BY', ({ deployed_by }) => deployed_by],
      ['ROLLBACK TO', ({ rolled_back_to }) => rolled_back_to],
      ['CHANGED', ({ changes }) => changes.map(({ field }) => field).join(', ')],
    ],
    terminalWidth(),
  )
  return { json: page, text }
}
