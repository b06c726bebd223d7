// Reads the configuration of LiteLLM's proxy: its models, fallbacks, retries, cache and budget.
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

/** By the start of a model's name, where it has no provider before it. */
const knownStarts: readonly (readonly [start: string, provider: string])[] = [
  ['gpt-', 'openai'],
  ['o1', 'openai'],
  ['o3', 'openai'],
  ['o4', 'openai'],
  ['text-embedding-', 'openai'],
  ['claude-', 'anthropic'],
  ['gemini-', 'google'],
  ['command-', 'cohere'],
  ['mistral-', 'mistral'],
]
const why: Readonly<Record<string, string>> = {
  master_key: 'operators have ADMIN_SECRET, people have sessions, servers the API keys of a project',
  database_url: 'it is the variable DATABASE_URL of the server',
  guardrails: 'choose pii_mode and sentinel_mode, first in shadow mode',
  callbacks: 'use the exports of the request log, webhooks or OpenTelemetry',
  success_callback: 'use the exports of the request log, webhooks or OpenTelemetry',
  failure_callback: 'use the exports of the request log, webhooks or OpenTelemetry',
  tpm: 'there is no limit of tokens a minute: see tokens_per_day',
  drop_params: 'parameters that a provider does not know are dropped anyway',
  routing_strategy: 'targets are tried in their order, or by their weights',
  environment_variables: 'set them where the server starts',
}

interface Deployment extends ImportedTarget {
  group: string
}

export function readLitellm(document: unknown): Carried {
  const root = toRecord(document)
  const carried: Carried = { settings: {}, keys: [], left: [] }
  const deployments = toList(root['model_list']).flatMap((one, index) => readDeployment(toRecord(one), index, carried))
  const own = toRecord(root['litellm_settings'])
  const router = toRecord(root['router_settings'])
  const [main] = deployments
  const fallbacks = readFallbacks([own['fallbacks'], router['fallbacks']], main?.group ?? '')
  const groupOf = (name: string) => deployments.filter(({ group }) => group === name)
  const first = groupOf(main?.group ?? '')
  const later = fallbacks.flatMap(groupOf)
  const used = new Set([...first, ...later])
  for (const { group, model } of deployments.filter(one => !used.has(one))) {
    carried.left.push({
      what: `model_list: ${group} (${model})`,
      why: 'a project has one list of targets: make a project or a tier for it',
    })
  }
  const strategy = later.length === 0 && first.length > 1 ? 'weighted' : 'fallback'
  const attempts = findNumber(router['num_retries'] ?? own['num_retries'])
  const targets = [...used].map(({ group: _, ...target }) => target)
  Object.assign(
    carried.settings,
    toRouting(targets, strategy, { attempts }, carried),
    readCache(own),
    readBudget(own, carried),
  )
  leaveOthers('', root, ['model_list', 'litellm_settings', 'router_settings', 'general_settings'], why, carried)
  const read = ['fallbacks', 'num_retries']
  leaveOthers(
    'litellm_settings.',
    own,
    [...read, 'cache', 'cache_params', 'max_budget', 'budget_duration'],
    why,
    carried,
  )
  leaveOthers('router_settings.', router, read, why, carried)
  leaveOthers('general_settings.', toRecord(root['general_settings']), [], why, carried)
  return carried
}

function readDeployment(entry: Record<string, unknown>, index: number, carried: Carried): Deployment[] {
  const params = toRecord(entry['litellm_params'])
  const group = findText(entry['model_name']) ?? `model ${index + 1}`
  const { provider, model } = splitModel(findText(params['model']) ?? '')
  const ours = findProvider(provider)
  if (ours === null) {
    carried.left.push({ what: `model_list: ${group}`, why: describeUnknown(provider || 'a model without a provider') })
    return []
  }
  addKey(ours, params, carried)
  const place = `model_list: ${group}: `
  leaveOthers(place, params, ['model', 'api_key', 'api_base', 'weight', 'rpm', 'timeout'], why, carried)
  const weight = findNumber(params['weight']) ?? findNumber(params['rpm'])
  const timeout = findNumber(params['timeout'])
  return [
    {
      group,
      model: `${ours}/${model}`,
      ...(weight === null || weight < 1 ? {} : { weight: Math.min(1000, Math.round(weight)) }),
      ...(timeout === null ? {} : { timeout_ms: Math.round(timeout * 1000) }),
    },
  ]
}

function splitModel(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/')
  if (slash > 0) return { provider: name.slice(0, slash), model: name.slice(slash + 1) }
  const [, provider = ''] = knownStarts.find(([start]) => name.startsWith(start)) ?? []
  return { provider, model: name }
}

function addKey(provider: string, params: Record<string, unknown>, carried: Carried): void {
  const key = findText(params['api_key'])
  const [, variable = null] = /^os\.environ\/(\w+)$/.exec(key ?? '') ?? []
  const baseUrl = findText(params['api_base'])
  const known = carried.keys.find(one => one.provider === provider)
  if (known === undefined) {
    const note = key !== null && variable === null ? 'the file holds the key itself: rotate it' : null
    carried.keys.push({ provider, variable, baseUrl, note })
  } else if ((key !== null && known.variable !== variable) || (baseUrl !== null && known.baseUrl !== baseUrl)) {
    carried.left.push({ what: `a second key or address of ${provider}`, why: 'a tenant has one key for each provider' })
  }
}

/** LiteLLM writes `[{ group: [others] }]`. */
function readFallbacks(lists: readonly unknown[], group: string): string[] {
  const names = lists.flatMap(toList).flatMap(one => toList(toRecord(one)[group]))
  return [...new Set(names.filter(name => typeof name === 'string'))]
}

/** LiteLLM shares answers among all callers. */
function readCache(own: Record<string, unknown>): Record<string, unknown> {
  if (own['cache'] !== true) return {}
  const ttl = findNumber(toRecord(own['cache_params'])['ttl']) ?? 600
  return { cache: { ttl_seconds: Math.min(86_400, Math.max(1, Math.round(ttl))), scope: 'project' } }
}

function readBudget(own: Record<string, unknown>, carried: Carried): Record<string, unknown> {
  const usd = findNumber(own['max_budget'])
  if (usd === null || usd <= 0) return {}
  const duration = findText(own['budget_duration']) ?? '30d'
  const period = { '1d': 'day', '24h': 'day', '30d': 'month', '1mo': 'month' }[duration]
  if (period !== undefined) return { budgets: [{ usd, period }] }
  carried.left.push({
    what: 'litellm_settings.max_budget',
    why: `budgets are for a day or a month, not for ${duration}`,
  })
  return {}
}
