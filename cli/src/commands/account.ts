// `whoami`: the account whose token is used, and its tenants.
import { SallyportError } from '@sallyport/sdk'
import type { Command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { renderTable } from '../frame/table.ts'
import { terminalWidth } from '../frame/terminal.ts'

export const whoamiCommand: Command = {
  name: 'whoami',
  summary: 'Show the account of the token, and its tenants',
  example: 'sallyport whoami',
  async run(_input, context) {
    const email = await findEmail(context)
    const tenants = await context.tenants()
    const table = renderTable(
      tenants,
      [
        ['TENANT', ({ name }) => name],
        ['ROLE', ({ role }) => role],
        ['PLAN', ({ plan }) => plan],
        ['ID', ({ id }) => id],
      ],
      terminalWidth(),
    )
    const who = email ?? 'a service account'
    const list = tenants.length === 0 ? 'No tenants.\nNext: sallyport tenants create NAME' : table
    return { json: { url: context.url, email, tenants }, text: `${who} at ${context.url}\n\n${list}` }
  },
}

/** Null for a service account, which is no person. */
async function findEmail(context: Context): Promise<string | null> {
  try {
    return (await context.client().request('GET', '/auth/v1/sessions/current')).email
  } catch (error) {
    if (error instanceof SallyportError && error.status === 403) return null
    throw error
  }
}
