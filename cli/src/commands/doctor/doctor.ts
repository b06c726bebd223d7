// `doctor`: examines the way from this machine to an installation and a project, and names the page that mends a fault.
import { SallyportError } from '@sallyport/sdk'
import { type Command, textOption } from '../../frame/command.ts'
import type { Context } from '../../frame/context.ts'
import { paint } from '../../frame/terminal.ts'
import { readVersion } from '../../version.ts'
import { checkAddress } from './check-address.ts'
import { checkMachine } from './check-machine.ts'
import { checkProject, checkToken } from './check-project.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { examine, type Finding, ok, warning } from './finding.ts'

const marks = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const
const colours = { ok: 'green', warning: 'yellow', failed: 'red' } as const

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Examine the installation and the project; exit code 1 if a check fails',
  example: 'sallyport doctor --project amber-falcon-4821 --origin https://app.example.com',
  options: [
    ['--origin <origin>', 'whether pages of this origin may call the project'],
    ['--data-dir <folder>', 'on the machine of the installation: whether its disk has room'],
    ['--backups <folder>', 'on a machine that sees them: how old the newest backup is'],
  ],
  async run(input, context) {
    const token = process.env['SALLYPORT_CHECKED_TOKEN']
    const findings = [
      ok('Version', `this command line is ${readVersion()}`),
      ...(await checkAddress(context.url)),
      ...(await examine('Credential', 'cli', () => checkCredential(context))),
      ...(await checkProject(context, textOption(input, 'origin'))),
      ...(await checkWebhooks(context)),
      ...(await checkMachine({ data: textOption(input, 'dataDir'), backups: textOption(input, 'backups') })),
      ...(token ? checkToken(token) : []),
    ]
    const hasFailed = findings.some(({ status }) => status === 'failed')
    return {
      json: findings,
      text: findings.map(one => render(one, context.url)).join('\n'),
      ...(hasFailed ? { ending: 'failed' } : {}),
    }
  },
}

async function checkCredential(context: Context): Promise<Finding[]> {
  const tenants = await context.tenants()
  const email = await context
    .client()
    .request('GET', '/auth/v1/sessions/current')
    .then(user => user.email)
    .catch(asServiceAccount)
  if (tenants.length === 0) return [warning('Credential', `${email} belongs to no tenant`, 'account-and-projects')]
  return [ok('Credential', `${email}: ${tenants.map(({ name, role }) => `${role} of ${name}`).join(', ')}`)]
}

function asServiceAccount(error: unknown): string {
  if (error instanceof SallyportError && error.status === 403) return 'a service account'
  throw error
}

function render({ check, status, message, page }: Finding, url: string): string {
  const mark = paint(colours[status], marks[status].padEnd(8))
  return `${mark}${check.padEnd(12)}${message}${page === null ? '' : `: ${url}/docs/${page}`}`
}
