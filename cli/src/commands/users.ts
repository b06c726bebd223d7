// `users`: the end users of a project, and what keeps one of them out.
import { type Command, textOption } from '../frame/command.ts'
import { pageOptions, readPage, withNext } from '../frame/pages.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

const path = '/auth/v1/projects/{projectId}/users'
const userArg = [['<uid>', 'the id of the end user']] as const

export const userCommands: readonly Command[] = [
  {
    name: 'users',
    summary: 'List the end users of a project; block, unblock, revoke',
    example: 'sallyport users --search alice',
    options: [['--search <text>', 'only users whose id begins with it'], ...pageOptions],
    async run(input, context) {
      const { id: projectId } = await context.project()
      const search = textOption(input, 'search')
      const query = { ...readPage(input), ...(search === undefined ? {} : { q: search }) }
      const page = await context.client().request('GET', path, { path: { projectId }, query })
      const text = renderTable(
        page.data,
        [
          ['USER', ({ uid }) => uid],
          ['LAST SEEN', user => user.last_seen_at],
          ['REQUESTS TODAY', user => user.requests_today],
          ['TOKENS TODAY', user => user.tokens_today],
          ['BLOCKED', user => user.blocked_at],
        ],
        terminalWidth(),
      )
      return { json: page, text: withNext(text, page.next_cursor) }
    },
  },
  {
    name: 'users block',
    summary: 'Keep an end user out, and end what is in flight',
    example: 'sallyport users block user-17 --reason "shared token"',
    args: userArg,
    options: [['--reason <text>', 'why, for your team']],
    async run(input, context) {
      const { id: projectId } = await context.project()
      const [uid = ''] = input.args
      const reason = textOption(input, 'reason')
      const request = { path: { projectId, uid }, body: reason === undefined ? {} : { reason } }
      const blocked = await context.client().request('PUT', `${path}/{uid}/block`, request)
      return { json: blocked, text: `${uid} is blocked.` }
    },
  },
  {
    name: 'users unblock',
    summary: 'Let an end user in again',
    example: 'sallyport users unblock user-17',
    args: userArg,
    async run({ args: [uid = ''] }, context) {
      const { id: projectId } = await context.project()
      await context.client().request('DELETE', `${path}/{uid}/block`, { path: { projectId, uid } })
      return { json: { unblocked: uid }, text: `${uid} is not blocked any more.` }
    },
  },
  {
    name: 'users revoke',
    summary: "Revoke all of an end user's tokens",
    example: 'sallyport users revoke user-17',
    args: userArg,
    async run({ args: [uid = ''] }, context) {
      const { id: projectId } = await context.project()
      const revoked = await context
        .client()
        .request('POST', `${path}/{uid}/revoke-tokens`, { path: { projectId, uid } })
      return { json: revoked, text: `All tokens that ${uid} has now are revoked.` }
    },
  },
]
