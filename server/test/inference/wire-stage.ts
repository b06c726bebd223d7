// The product in front of providers of every wire, with projects that cache. A request names its wire and has a tag of
// its own, by which a test damages the answer; all other answers are whole.
import type { ServerResponse } from 'node:http'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import { type AnyWire, everyWire, type SurfaceName, scriptAllKeyChecks, surfaces } from './every-wire.ts'
import { openStage, type Stage } from './inference-stage.ts'

export const cacheHeader = 'x-sallyport-cache'
export const cached = { cache: { ttl_seconds: 3600 } }

/** Writes the whole response, or as much of it as its test wants. */
export type Write = (response: ServerResponse) => void

export interface TaggedRequest {
  path: string
  body: Record<string, unknown>
  /** From now on, its answers are damaged; null heals them. */
  damage(write: Write | null): void
  /** How often it has reached the provider. */
  calls(): number
}

export interface WireStage {
  stage: Stage
  /** A request that no other one equals, for which the cache is used. */
  request(wire: AnyWire, surface: SurfaceName, isStream: boolean): TaggedRequest
  stop(): Promise<void>
}

export async function openWireStage(env: Record<string, string>): Promise<WireStage> {
  const damages = new Map<string, Write>()
  const asked = new Map<string, number>()
  const wires = new Map(everyWire.map(wire => [wire.name, wire]))
  /** Confirms the access keys of AWS. */
  const sts = await startUpstream()
  sts.on('GET /', { body: '<GetCallerIdentityResponse/>' })
  const stage = await openStage('sqlite', { AWS_ENDPOINT_URL_STS: `${sts.url}/`, ...env }, { own: true })
  scriptAllKeyChecks(stage)
  stage.upstream.on('*', ({ path, body }) => {
    const [tag = '', name = ''] = /tag-(\d+) of ([^.]+)\./.exec(body)?.slice(1) ?? []
    const wire = wires.get(name)
    if (wire === undefined) throw new Error(`no wire for ${path}: ${body}`)
    asked.set(tag, (asked.get(tag) ?? 0) + 1)
    const isStream = path.includes('stream') || JSON.parse(body).stream === true
    return { write: damages.get(tag) ?? (response => writeWhole(response, wire, isStream)) }
  })
  let tags = 0
  return {
    stage,
    request(wire, surface, isStream) {
      const tag = String(++tags)
      const { path, ask } = surfaces[surface]
      return {
        path,
        body: { ...ask(`tag-${tag} of ${wire.name}.`), temperature: 0, stream: isStream },
        damage: write => void (write === null ? damages.delete(tag) : damages.set(tag, write)),
        calls: () => asked.get(tag) ?? 0,
      }
    },
    async stop() {
      await stage.stop()
      await sts.close()
    },
  }
}

export function writeWhole(response: ServerResponse, wire: AnyWire, isStream: boolean, finish?: string): void {
  if (isStream) openResponse(response, wire.streamType).end(Buffer.concat(wire.events(finish)))
  else openResponse(response, 'application/json').end(wire.whole(finish))
}

export function openResponse(response: ServerResponse, type: string): ServerResponse {
  return response.writeHead(200, { 'content-type': type })
}

/** Nothing follows these bytes, and the connection stays open. */
export function stall(type: string, bytes: Buffer): Write {
  return response => {
    openResponse(response, type).flushHeaders()
    response.write(bytes)
  }
}
