// Starts, kills and restarts a real PostgreSQL in a temporary folder, on a free loopback port.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { findBinary } from './programs/find-binary.ts'
import { type ServerProcess, startProcess, waitUntilReady, withFreePort } from './server-process.ts'

export interface TestServer {
  /** Stays the same after a restart. */
  url: string
  port: number
  /** Changes with each restart. */
  readonly pid: number
  log: () => string
  /** Stops the server and deletes its data. */
  stop: () => Promise<void>
  /** Sends SIGKILL; the data stays for `restart`. */
  kill: () => Promise<void>
  /** Starts the server again with the same port, folder and data; stops it first if it is running. */
  restart: () => Promise<void>
}

interface PostgresOptions {
  /** Syncs to disk as in production. By default it does not, for speed. */
  durable?: boolean
  /** Further settings, `name=value`. */
  settings?: string[]
}

export function findPostgres(): string | null {
  return findBinary('postgres')
}

export async function startPostgres(options: PostgresOptions = {}): Promise<TestServer> {
  const binary = findPostgres()
  if (binary === null) throw new Error('PostgreSQL is not installed; `npm test` installs it where it may')
  const owner = unprivilegedOwner()
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-postgres-'))
  const password = randomBytes(12).toString('hex')
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid ?? owner.uid)
  initialise(dirname(binary), folder, password, owner)
  const start = (port: number): Promise<ServerProcess> => launch(binary, folder, port, options, owner)
  let { port, server } = await withFreePort(async candidate => ({ port: candidate, server: await start(candidate) }))
  return {
    url: `postgres://sallyport:${password}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return server.pid
    },
    log: () => server.stderr(),
    stop: async () => {
      await server.end('SIGINT')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
    kill: async () => {
      await server.end('SIGKILL')
    },
    restart: async () => {
      await server.end('SIGINT')
      server = await startAgain(() => start(port))
    },
  }
}

const templateName = 'migrated'

/**
 * Makes the template of `createDatabase` on this server: `migrate` gets the address of an empty database, and closes its
 * connections before it resolves.
 */
export async function createTemplate(adminUrl: string, migrate: (url: string) => Promise<void>): Promise<void> {
  await asAdmin(adminUrl, client => client.query(`create database ${templateName}`))
  await migrate(addressOf(adminUrl, templateName))
}

/** Creates a database with this version's schema, or an empty one if the server has no template; returns its address. */
export function createDatabase(adminUrl: string): Promise<string> {
  return create(adminUrl, async client => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [templateName])
    if (rowCount === 0) return ''
    // Copied as files, a database costs a quarter of the processor time that it costs block by block.
    const { rows } = await client.query("select current_setting('server_version_num')::int >= 150000 as can_choose")
    return `template ${templateName} ${rows[0].can_choose ? 'strategy file_copy' : ''}`
  })
}

/** Creates an empty database on the same server and returns its address. */
export function createEmptyDatabase(adminUrl: string): Promise<string> {
  return create(adminUrl, async () => '')
}

async function create(adminUrl: string, chooseOptions: (client: pg.Client) => Promise<string>): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await asAdmin(adminUrl, async client => client.query(`create database ${name} ${await chooseOptions(client)}`))
  return addressOf(adminUrl, name)
}

async function asAdmin(adminUrl: string, action: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await action(client)
  } finally {
    await client.end()
  }
}

function addressOf(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

interface Owner {
  uid?: number
  gid?: number
}

/** PostgreSQL refuses to run as root. */
function unprivilegedOwner(): Owner {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: idOf('-u'), gid: idOf('-g') }
    } catch {
      // Try the next name.
    }
  }
  throw new Error('running as root, and there is no unprivileged user to run PostgreSQL as')
}

function initialise(binaries: string, folder: string, password: string, owner: Owner): void {
  const passwordFile = join(folder, '..', `${folder.slice(folder.lastIndexOf('/') + 1)}.password`)
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (owner.uid !== undefined) chownSync(passwordFile, owner.uid, owner.gid ?? owner.uid)
  const args = ['-D', folder, '-U', 'sallyport', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  try {
    execFileSync(join(binaries, 'initdb'), [...args, '--encoding=UTF8', '--locale=C', '--no-sync'], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

async function launch(
  binary: string,
  folder: string,
  port: number,
  options: PostgresOptions,
  owner: Owner,
): Promise<ServerProcess> {
  const fast = options.durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=800',
    'shared_buffers=32MB',
    'logging_collector=off',
    ...fast,
    ...(options.settings ?? []),
  ]
  const args = ['-D', folder, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])]
  const server = await startProcess({ command: binary, args, cwd: folder, isPreferred: true, ...owner })
  await waitUntilReady(server, () => server.stderr().includes('ready to accept connections'), 180_000)
  return server
}

/**
 * Retries, because the killed server's children hold its shared memory for a moment and a new server does not start.
 */
async function startAgain(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (Date.now() > deadline || !/still in use|still running|lock file/.test(String(error))) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}
