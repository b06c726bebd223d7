// Finds servers that need no key, such as Ollama, at the usual addresses of their presets. An address is asked only if
// OUTBOUND_ALLOW lets tenants reach it.
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import { type CustomPreset, customPresets } from '../../providers/custom-presets.ts'
import type { ManagementDependencies } from '../dependencies.ts'

export interface FoundPreset extends CustomPreset {
  /** Whether a server answers at the address. */
  found: boolean
}

/** A server of the same network answers in far less, even a busy one. */
const timeoutMs = 3000
const maxBytes = 1024 * 1024
/** All tenants get the same answer, so that their number adds no calls. */
const keptMs = 5000

/** The machine itself, the machine of a container, and a neighbour in a Compose file or a pod. */
const hostsOf = (slug: string): string[] => ['localhost', '127.0.0.1', 'host.docker.internal', slug]

type Finder = (tenantId: string) => Promise<FoundPreset[]>

type Tools = Pick<ManagementDependencies, 'outbound' | 'now'>

export function createServerFinder(tools: Tools, presets: readonly CustomPreset[] = customPresets): Finder {
  let last: { at: number; found: Promise<FoundPreset[]> } | null = null
  return tenantId => {
    if (last === null || tools.now() - last.at > keptMs) {
      last = { at: tools.now(), found: Promise.all(presets.map(preset => find(tools, preset, tenantId))) }
    }
    return last.found
  }
}

/** The preset with the first of its addresses at which a server answers, or as it is. */
async function find(tools: Tools, preset: CustomPreset, tenantId: string): Promise<FoundPreset> {
  const missing = { ...preset, found: false }
  if (preset.needs_key) return missing
  const addresses = hostsOf(preset.slug).map(host => {
    const url = new URL(preset.base_url)
    url.hostname = host
    return url.href
  })
  const answers = await Promise.all(addresses.map(address => hasServer(tools, address, tenantId)))
  const address = addresses[answers.indexOf(true)]
  return address === undefined ? missing : { ...preset, base_url: address, found: true }
}

async function hasServer({ outbound }: Tools, baseUrl: string, tenantId: string): Promise<boolean> {
  const request = { url: `${baseUrl}/models`, method: 'GET', headers: { accept: 'application/json' } }
  try {
    const { status, body } = await outbound.send({ ...request, guard: 'tenant', tenantId, timeoutMs, maxBytes })
    const list = parseJson(body.toString())
    return status === 200 && isJsonObject(list) && Array.isArray(list['data'])
  } catch (error) {
    if (error instanceof OutboundFailure) return false
    throw error
  }
}
