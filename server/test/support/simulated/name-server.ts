// Starts a real BIND for a test on a free loopback port, with zones that update keys may change, and queries it.
import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from '../programs/find-binary.ts'
import { type ServerProcess, startProcess, waitUntilReady, withFreePort } from '../server-process.ts'

export interface UpdateKey {
  algorithm: string
  name: string
  secret: Buffer
}

export interface BindServer {
  port: number
  /** Changes with each restart. */
  readonly pid: number
  log: () => string
  /** The records of a name, sorted; empty if it has none of that type. */
  ask: (name: string, type: 'A' | 'AAAA' | 'CNAME' | 'TXT') => Promise<string[]>
  /** Stops the server; the zones stay for `restart`. */
  halt: () => Promise<void>
  /** Starts the server again with the same port and zones. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

export interface BindOptions {
  keys?: UpdateKey[]
  /** By zone, the clause with its update rights, such as `allow-update { none; };`. */
  zones: Record<string, string>
}

export function findBind(): string | null {
  return findBinary('named')
}

export function makeUpdateKey(name: string, algorithm = 'hmac-sha256'): UpdateKey {
  return { algorithm, name, secret: randomBytes(32) }
}

export async function startBind(options: BindOptions): Promise<BindServer> {
  const binary = findBind()
  if (binary === null) throw new Error('BIND is not installed; `npm test` installs it where it may')
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bind-'))
  // A copy, because Debian's AppArmor profile for the original path forbids temporary folders.
  const program = join(folder, 'named')
  copyFileSync(binary, program)
  for (const zone of Object.keys(options.zones)) writeFileSync(join(folder, `${zone}.zone`), zoneFile)
  const start = (port: number): Promise<ServerProcess> => launch(program, folder, port, options)
  let { port, server } = await withFreePort(async candidate => ({ port: candidate, server: await start(candidate) }))
  const halt = async () => {
    await server.end('SIGTERM')
  }
  return {
    port,
    get pid() {
      return server.pid
    },
    log: () => server.stderr(),
    ask: (name, type) => ask(port, name, type),
    halt,
    restart: async () => {
      await halt()
      server = await start(port)
    },
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const zoneFile = `$TTL 300
@ IN SOA ns hostmaster 1 3600 600 86400 300
@ IN NS ns
ns IN A 127.0.0.1
`

async function launch(program: string, folder: string, port: number, options: BindOptions): Promise<ServerProcess> {
  const keys = (options.keys ?? []).map(
    ({ algorithm, name, secret }) =>
      `key "${name}" { algorithm ${algorithm}; secret "${secret.toString('base64')}"; };`,
  )
  const zones = Object.entries(options.zones).map(
    ([zone, rights]) => `zone "${zone}" { type primary; file "${folder}/${zone}.zone"; ${rights} };`,
  )
  const configuration = `options {
  directory "${folder}";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  pid-file none;
  session-keyfile "${folder}/session.key";
  recursion no;
  dnssec-validation no;
  notify no;
};
controls { };
${keys.join('\n')}
${zones.join('\n')}
`
  writeFileSync(join(folder, 'named.conf'), configuration, { mode: 0o600 })
  const args = ['-g', '-n', '1', '-c', join(folder, 'named.conf'), '-p', String(port)]
  const server = await startProcess({ command: program, args, cwd: folder })
  await waitUntilReady(server, () => / running$/m.test(server.stderr()), 180_000)
  if (/address in use|EADDRINUSE/.test(server.stderr())) {
    await server.end('SIGKILL')
    throw new Error('the port is in use')
  }
  return server
}

async function ask(port: number, name: string, type: 'A' | 'AAAA' | 'CNAME' | 'TXT'): Promise<string[]> {
  const resolver = new Resolver({ timeout: 10_000, tries: 3 })
  resolver.setServers([`127.0.0.1:${port}`])
  try {
    const found: unknown = await resolver.resolve(name, type)
    return Array.isArray(found) ? found.map(String).sort() : []
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENODATA' || code === 'ENOTFOUND') return []
    throw error
  }
}
