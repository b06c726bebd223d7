// A product of several processes on its embedded stores, with a provider of the test's own behind it and clients on
// connections of their own, which the system spreads over the processes.
import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { distributedSecrets, signIn } from '../product/distributed-world.ts'
import { type FleetProject, prepareProject, scriptProvider } from '../product/fleet.ts'
import { type ScriptedUpstream, startUpstream } from '../support/scripted-upstream.ts'
import { type Product, startProduct } from '../support/start-product.ts'

export interface ProcessesStage {
  product: Product
  upstream: ScriptedUpstream
  session: { authorization: string }
  makeProject(settings?: Record<string, unknown>): Promise<FleetProject>
  /** Of the processes beside the first one. */
  otherPids(): number[]
}

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

function childrenOf(pid: number): number[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return list.split('\n').flatMap(line => {
    const [child, parent, ...args] = line.trim().split(/\s+/)
    return Number(parent) === pid && args.some(arg => arg.startsWith('--process=')) ? [Number(child)] : []
  })
}

export interface Reply {
  /** 0 if the connection broke before the reply was whole. */
  status: number
  text: string
}

/** A client with one connection at a time, which stays with its process. */
export function createClient(product: Product) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const send = (method: string, path: string, headers: object, body?: object): Promise<Reply> =>
    new Promise(resolve => {
      let text = ''
      const fail = () => resolve({ status: 0, text })
      const sent = request(
        { port: product.port, host: '127.0.0.1', method, path, agent, headers: { ...headers } },
        response => {
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
          response.on('end', () => resolve({ status: response.complete ? (response.statusCode ?? 0) : 0, text }))
          response.on('error', fail)
        },
      )
      sent.on('error', fail)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  return {
    send,
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
