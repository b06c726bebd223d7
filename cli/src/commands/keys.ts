// `keys`: the API keys of a project, with which servers mint tokens.
import type { Command, CommandInput } from '../frame/command.ts'
import { textOption } from '../frame/command.ts'
import { Failure } from '../frame/failure.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/projects/{projectId}/api-keys'
const roles = ['user', 'dashboard-service', 'admin'] as const

export const keyCommands: readonly Command[] = [
  {
    name: 'keys',
    summary: 'List the API keys of a project; create, rotate, revoke them',
    example: 'sallyport keys --project amber-falcon-4821',
    async run(_input, context) {
      const { id: projectId } = await context.project()
      const keys = await context.client().request('GET', path, { path: { projectId } })
      const text = renderTable(
        keys,
        [
          ['ID', ({ id }) => id],
          ['NAME', ({ name }) => name],
          ['ROLE', ({ role }) => role],
          ['ENDS WITH', ({ hint }) => hint],
          ['LAST USED', ({ last_used_at }) => last_used_at],
          ['EXPIRES', ({ expires_at }) => expires_at],
        ],
        terminalWidth(),
      )
      return { json: keys, text }
    },
  },
  {
    name: 'keys create',
    summary: 'Create an API key; it is shown once',
    example: 'sallyport keys create --name ci --expires 2027-01-31T00:00:00Z',
    options: [
      ['--name <name>', 'what people call it'],
      ['--role <role>', `the highest role of its tokens: ${roles.join(', ')}`],
      ['--expires <time>', 'when it stops working, in ISO 8601'],
    ],
    async run(input, context) {
      const { id: projectId, slug } = await context.project()
      const created = await context.client().request('POST', path, { path: { projectId }, body: readKey(input) })
      return { json: created, text: showOnce(created.api_key, `the project ${slug}`) }
    },
  },
  {
    name: 'keys rotate',
    summary: 'Replace an API key, at once or after an overlap; the new one is shown once',
    example: 'sallyport keys rotate 7b0a1f0e-0000-4000-8000-000000000001 --overlap 86400',
    args: [['<id>', 'the id of the key, from `sallyport keys`']],
    options: [['--overlap <seconds>', 'how long the old key works beside the new one; at most 604800, by default 0']],
    async run(given, context) {
      const { id: projectId, slug } = await context.project()
      const [keyId = ''] = given.args
      const overlap = textOption(given, 'overlap')
      const body = overlap === undefined ? {} : { overlap_seconds: Number(overlap) }
      const input = { path: { projectId, keyId }, body }
      const rotated = await context.client().request('POST', `${path}/{keyId}/rotate`, input)
      return { json: rotated, text: showOnce(rotated.api_key, `the project ${slug}`) }
    },
  },
  {
    name: 'keys revoke',
    summary: 'Revoke an API key for good',
    example: 'sallyport keys revoke 7b0a1f0e-0000-4000-8000-000000000001',
    args: [['<id>', 'the id of the key, from `sallyport keys`']],
    async run({ args: [keyId = ''] }, context) {
      const { id: projectId } = await context.project()
      const revoked = await context.client().request('POST', `${path}/{keyId}/revoke`, { path: { projectId, keyId } })
      return { json: revoked, text: revoked.message }
    },
  },
]

function readKey(input: CommandInput) {
  const [name, role, expires] = ['name', 'role', 'expires'].map(option => textOption(input, option))
  const known = roles.find(one => one === role)
  if (role !== undefined && known === undefined) throw new Failure(`--role must be one of ${roles.join(', ')}`)
  return {
    ...(name === undefined ? {} : { name }),
    ...(known === undefined ? {} : { role: known }),
    ...(expires === undefined ? {} : { expires_at: expires }),
  }
}

/** The key alone is the last line, so that it can be cut off by a script. */
function showOnce(key: string, where: string): string {
  return `Keep this key of ${where}; it is not shown again:\n${key}`
}
