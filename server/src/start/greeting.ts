// What a start prints on stdout: one line for programs, a few plain lines for a person at a terminal.
// Must not print a password that the operator chose, or a generated one a second time.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { FirstUser } from './management.ts'

interface Greeting {
  config: Pick<Config, 'mode' | 'addresses' | 'dataDir' | 'hasPages' | 'roles' | 'secrets'>
  /** Null unless this start created it. */
  firstUser: FirstUser | null
  version: string
}

export function greetProgram({ config, firstUser }: Greeting): string {
  const lines = [`Sallyport serves ${config.addresses.baseUrl} (${config.mode}).`]
  if (config.secrets.adminSecret === null) {
    lines.push('ADMIN_SECRET is not set: the admin routes accept the secret in DATA_DIR/admin-secret.')
  }
  if (firstUser !== null) lines.push(`First dashboard user: ${firstUser.email}`)
  if (firstUser !== null && firstUser.password !== null) {
    lines.push(`Password, shown only once and stored in DATA_DIR/initial-password: ${firstUser.password}`)
  }
  return asLines(lines)
}

export function greetPerson(greeting: Greeting): string {
  const { config, version } = greeting
  const { baseUrl } = config.addresses
  const rows = [['Address', baseUrl], ...describeUser(greeting)]
  if (config.secrets.adminSecret === null) rows.push(['Admin secret', `in ${join(config.dataDir, 'admin-secret')}`])
  if (config.roles.has('api') && config.hasPages) rows.push(['Next', `read ${baseUrl}/docs/start`])
  rows.push(['Stop', 'Ctrl+C'])
  const width = Math.max(...rows.map(([name = '']) => name.length))
  const table = rows.map(([name = '', text]) => `  ${name.padEnd(width)}  ${text}`)
  return asLines(['', `Sallyport ${version} is running.`, '', ...table, ''])
}

/** Later starts cannot know whether the password was changed since. */
function describeUser({ config, firstUser }: Greeting): string[][] {
  const file = join(config.dataDir, 'initial-password')
  if (firstUser !== null) {
    const password = firstUser.password === null ? [] : [['Password', `${firstUser.password} (also in ${file})`]]
    return [['User', firstUser.email], ...password]
  }
  return config.mode === 'embedded' && existsSync(file) ? [['Password', `of the first user: in ${file}`]] : []
}

function asLines(lines: readonly string[]): string {
  return lines.map(line => `${line}\n`).join('')
}
