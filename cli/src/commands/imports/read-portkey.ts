// Reads a config of Portkey: its strategy and targets, retries, timeout and cache.
import {
  type Carried,
  describeUnknown,
  findNumber,
  findProvider,
  findText,
  type ImportedTarget,
  leaveOthers,
  toList,
  toRecord,
  toRouting,
} from './carried.ts'

const why: Readonly<Record<string, string>> = {
  input_guardrails: 'choose pii_mode and sentinel_mode, first in shadow mode',
  output_guardrails: 'choose pii_answer_mode and answer_blocklist',
  before_request_hooks: 'choose pii_mode and sentinel_mode, first in shadow mode',
  after_request_hooks: 'choose pii_answer_mode and answer_blocklist',
  forward_headers: 'headers of clients never reach a provider',
  custom_host: 'set the address with the provider key, or configure a custom provider',
}

export function readPortkey(document: unknown): Carried {
  const root = toRecord(document)
  const carried: Carried = { settings: {}, keys: [], left: [] }
  const strategy = toRecord(root['strategy'])
  const mode = findText(strategy['mode']) ?? 'single'
  if (!['single', 'fallback', 'loadbalance'].includes(mode)) {
    carried.left.push({
      what: `strategy.mode: ${mode}`,
      why: 'routes fall back or divide by weight: choose a tier or project',
    })
  }
  leaveOthers(
    'strategy.',
    strategy,
    ['mode'],
    { on_status_codes: 'routes go on after each failure of a provider' },
    carried,
  )
  const listed = toList(root['targets'])
  const targets = (listed.length === 0 ? [root] : listed).flatMap((one, index) =>
    readTarget(toRecord(one), `targets[${index}]`, root, carried),
  )
  const attempts = findNumber(toRecord(root['retry'])['attempts'])
  const kind = mode === 'loadbalance' ? 'weighted' : 'fallback'
  Object.assign(
    carried.settings,
    toRouting(targets, kind, { attempts }, carried),
    readCache(toRecord(root['cache']), carried),
  )
  const read = ['strategy', 'targets', 'retry', 'cache', 'request_timeout', ...targetFields]
  leaveOthers('', root, read, why, carried)
  return carried
}

const targetFields = ['provider', 'virtual_key', 'api_key', 'override_params', 'weight', 'name']

function readTarget(
  target: Record<string, unknown>,
  place: string,
  root: Record<string, unknown>,
  carried: Carried,
): ImportedTarget[] {
  if (target['targets'] !== undefined) {
    carried.left.push({ what: place, why: 'targets have no targets of their own' })
    return []
  }
  const params = toRecord(target['override_params'])
  const { provider, model } = readModel(target, findText(params['model']))
  const ours = findProvider(provider)
  if (ours === null || model === null) {
    carried.left.push({
      what: place,
      why: ours === null ? describeUnknown(provider || 'a virtual key') : 'it names no model',
    })
    return []
  }
  if (!carried.keys.some(one => one.provider === ours)) {
    const name = findText(target['virtual_key'])
    const note = name === null ? null : `the virtual key ${name} holds it`
    carried.keys.push({ provider: ours, variable: null, baseUrl: null, note })
  }
  leaveOthers(`${place}.override_params.`, params, ['model'], { max_tokens: 'see max_output_tokens' }, carried)
  if (target !== root) leaveOthers(`${place}.`, target, [...targetFields, 'request_timeout'], why, carried)
  const weight = findNumber(target['weight'])
  const timeout = findNumber(target['request_timeout'] ?? root['request_timeout'])
  return [
    {
      model: `${ours}/${model}`,
      ...(weight === null || weight <= 0 ? {} : { weight: toWeight(weight) }),
      ...(timeout === null ? {} : { timeout_ms: Math.round(timeout) }),
    },
  ]
}

/** Shares are written as 0.7 or as 70. */
const toWeight = (weight: number) => Math.min(1000, Math.max(1, Math.round(weight <= 1 ? weight * 100 : weight)))

/** `@slug/model` names a provider of Portkey's catalog, whose slug mostly begins with the provider's name. */
function readModel(target: Record<string, unknown>, model: string | null): { provider: string; model: string | null } {
  const [, slug, rest = null] = /^@([^/]+)\/(.+)$/.exec(model ?? '') ?? []
  const named = findText(target['provider'])?.replace(/^@/, '') ?? slug ?? findText(target['virtual_key']) ?? ''
  const provider = findProvider(named) === null ? (named.split('-')[0] ?? '') : named
  return { provider, model: rest ?? model }
}

function readCache(cache: Record<string, unknown>, carried: Carried): Record<string, unknown> {
  const mode = findText(cache['mode'])
  if (mode === null) return {}
  if (mode !== 'simple')
    carried.left.push({ what: `cache.mode: ${mode}`, why: 'only equal requests get the answer that was given before' })
  const age = findNumber(cache['max_age']) ?? 600
  return { cache: { ttl_seconds: Math.min(86_400, Math.max(1, Math.round(age))), scope: 'project' } }
}
