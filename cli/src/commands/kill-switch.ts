// `killswitch`: stops inference at once, for a project, a tenant or the whole installation. For operators.
import type { ManagementClient } from '@sallyport/sdk'
import type { Command, CommandInput } from '../frame/command.ts'
import { type Context, uuid } from '../frame/context.ts'
import { Failure } from '../frame/failure.ts'

const path = '/v1/admin/killswitch'
const options = [['--all', 'the whole installation, in place of --project or --tenant']] as const

export const killSwitchCommands: readonly Command[] = [
  {
    name: 'killswitch',
    summary: 'Show the kill switches that are on; turn one on or off',
    example: 'sallyport killswitch on --project amber-falcon-4821',
    async run(_input, context) {
      const status = await context.operator().request('GET', `${path}/status`)
      const lines = [
        ...(status.global ? ['the whole installation'] : []),
        ...status.tenants.map(id => `tenant ${id}`),
        ...status.projects.map(id => `project ${id}`),
      ]
      return { json: status, text: lines.length === 0 ? 'No kill switch is on.' : `On for:\n${lines.join('\n')}` }
    },
  },
  switchCommand('on', 'Stop inference at once', true),
  switchCommand('off', 'Let requests pass again', false),
]

function switchCommand(word: string, summary: string, enabled: boolean): Command {
  return {
    name: `killswitch ${word}`,
    summary,
    example: `sallyport killswitch ${word} --project amber-falcon-4821`,
    options,
    async run(input, context) {
      const { target, json } = await turn(input, context, enabled)
      return { json, text: `The kill switch of ${target} is ${word}.` }
    },
  }
}

/** The default project of the environment is not meant: what stops traffic must be named. */
async function turn({ options: given }: CommandInput, { operator, wantedTenant }: Context, enabled: boolean) {
  const project = typeof given['project'] === 'string' ? given['project'] : null
  const targets = [given['all'] === true, project !== null, wantedTenant !== null].filter(Boolean).length
  if (targets !== 1) throw new Failure('Name what to stop: one of --project, --tenant and --all')
  const client = operator()
  const body = { enabled }
  if (project !== null) {
    const projectId = await findProjectId(client, project)
    const json = await client.request('POST', `${path}/project/{projectId}`, { path: { projectId }, body })
    return { target: `the project ${project}`, json }
  }
  if (wantedTenant !== null) {
    const tenantId = await findTenantId(client, wantedTenant)
    const json = await client.request('POST', `${path}/tenant/{tenantId}`, { path: { tenantId }, body })
    return { target: `the tenant ${wantedTenant}`, json }
  }
  return { target: 'the whole installation', json: await client.request('POST', `${path}/global`, { body }) }
}

async function findProjectId(client: ManagementClient, word: string): Promise<string> {
  if (uuid.test(word)) return word
  const { data } = await client.request('GET', '/v1/admin/projects', { query: { q: word, limit: 200 } })
  const found = data.find(({ slug }) => slug === word)
  if (found === undefined) throw new Failure(`There is no project ${word}`)
  return found.id
}

async function findTenantId(client: ManagementClient, word: string): Promise<string> {
  if (uuid.test(word)) return word
  const { data } = await client.request('GET', '/v1/admin/tenants', { query: { q: word, limit: 200 } })
  const [found, ...others] = data.filter(({ name }) => name === word)
  if (found === undefined) throw new Failure(`There is no tenant ${word}`)
  if (others.length > 0) throw new Failure(`Several tenants have the name ${word}`, 'Name the tenant by its id.')
  return found.id
}
