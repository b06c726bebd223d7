// A product of several processes on its embedded stores, with a provider of the test's own behind it and clients on
// connections of their own, which the system spreads over the processes.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { createWorld, distributedSecrets, signIn } from '../product/distributed-world.ts'
import { type FleetProject, prepareProject, scriptProvider } from '../product/fleet.ts'
import { type ScriptedUpstream, startUpstream } from '../support/simulated/scripted-upstream.ts'
import { type Product, startProduct } from '../support/start-product.ts'

export interface ProcessesStage {
  product: Product
  upstream: ScriptedUpstream
  session: { authorization: string }
  makeProject(settings?: Record<string, unknown>): Promise<FleetProject>
  /** Of the processes beside the first one. */
  otherPids(): number[]
}

/** What the environment has to say for each. */
export const topologies: Array<[name: string, environment: () => Promise<Record<string, string>>]> = [
  ['on the embedded stores', async () => ({})],
  ['on PostgreSQL and Redis', async () => (await createWorld()).env],
]

/** The product is killed when the test ends. */
export async function startProcesses(count: number, env: Record<string, string> = {}): Promise<ProcessesStage> {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  scriptProvider(upstream)
  const product = await startProduct({
    env: { ...distributedSecrets(), PROCESSES: String(count), OPENAI_BASE_URL: `${upstream.url}/v1`, ...env },
  })
  onTestFinished(() => product.kill())
  const session = await signIn(product)
  return {
    product,
    upstream,
    session,
    makeProject: settings => prepareProject(product, session, settings ?? {}),
    otherPids: () => childrenOf(product.pid),
  }
}

/** The processes that this one started as parts of its product. */
export function childrenOf(pid: number): number[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return list.split('\n').flatMap(line => {
    const [child, parent, ...args] = line.trim().split(/\s+/)
    return Number(parent) === pid && args.some(arg => arg.startsWith('--process=')) ? [Number(child)] : []
  })
}

/** The ports of the clients whose connections this process has accepted, by the system's own tables. */
export function clientPortsOf(pid: number, port: number): Set<number> {
  const inodes = new Set<string>()
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      inodes.add(readlinkSync(`/proc/${pid}/fd/${name}`).replace(/^socket:\[(\d+)\]$/, '$1'))
    } catch {
      // Closed meanwhile.
    }
  }
  const ports = new Set<number>()
  for (const line of readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)) {
    const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/)
    if (inode === undefined || !inodes.has(inode)) continue
    if (portOf(local) === port) ports.add(portOf(remote))
  }
  return ports
}

const portOf = (address = ''): number => Number.parseInt(address.slice(address.indexOf(':') + 1), 16)

export interface Reply {
  /** 0 if the connection broke before the reply was whole. */
  status: number
  text: string
  headers: IncomingHttpHeaders
  /** The client's port, by which /proc knows the connection. */
  clientPort: number
}

/** A client with one connection at a time, which stays with its process. */
export function createClient(product: Product) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const send = (method: string, path: string, headers: object, body?: object): Promise<Reply> =>
    new Promise(resolve => {
      let text = ''
      let clientPort = 0
      const end = (status: number, headers: IncomingHttpHeaders = {}) => resolve({ status, text, headers, clientPort })
      const fail = () => end(0)
      const sent = request(
        { port: product.port, host: '127.0.0.1', method, path, agent, headers: { ...headers } },
        response => {
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
          response.on('end', () => end(response.complete ? (response.statusCode ?? 0) : 0, response.headers))
          response.on('error', fail)
        },
      )
      sent.on('error', fail)
      sent.on('socket', socket => {
        if (socket.connecting) socket.once('connect', () => (clientPort = socket.localPort ?? 0))
        else clientPort = socket.localPort ?? 0
      })
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  return {
    send,
    close: () => agent.destroy(),
    complete: ({ slug, token }: FleetProject, fields: object = {}): Promise<Reply> =>
      send(
        'POST',
        `/p/${slug}/v1/chat/completions`,
        { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        { messages: [{ role: 'user', content: 'Hello' }], ...fields },
      ),
  }
}

export type Client = ReturnType<typeof createClient>

export function createClients(product: Product, count: number): Client[] {
  return Array.from({ length: count }, () => createClient(product))
}

/** All at once, over the clients in turn. */
export function completeAll(clients: readonly Client[], project: FleetProject, count: number, fields: object = {}) {
  return Promise.all(
    Array.from({ length: count }, (_, at) => (clients[at % clients.length] as Client).complete(project, fields)),
  )
}

export const countOf = (replies: readonly Reply[], status: number): number =>
  replies.filter(reply => reply.status === status).length
