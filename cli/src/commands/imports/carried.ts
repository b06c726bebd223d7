// What an import carries over: settings of a project, provider keys by name, and what it leaves, with the reason.
import { isProvider } from '../../../../server/src/domain/provider.ts'

export interface ImportedKey {
  provider: string
  /** The environment variable that holds the key; null if the file has the key itself, or another name for it. */
  variable: string | null
  baseUrl: string | null
  note: string | null
}

export interface Carried {
  settings: Record<string, unknown>
  keys: ImportedKey[]
  left: { what: string; why: string }[]
}

export interface ImportedTarget {
  model: string
  weight?: number
  timeout_ms?: number
}

const maxTargets = 10
const maxAttempts = 3
const names: Record<string, string> = {
  gemini: 'google',
  google_ai_studio: 'google',
  cohere_chat: 'cohere',
  'mistral-ai': 'mistral',
  vertex_ai: 'vertex',
  'vertex-ai': 'vertex',
  'azure-openai': 'azure',
}

/** Our name of a provider; null for one that would be a custom provider. */
export function findProvider(name: string): string | null {
  const ours = names[name] ?? name
  return isProvider(ours) || ['azure', 'bedrock', 'vertex'].includes(ours) ? ours : null
}

export const describeUnknown = (provider: string) =>
  `${provider} is no provider of Sallyport: configure it as a custom provider, and add its model`

/** One target is the project's model; several are its routes. */
export function toRouting(
  targets: readonly ImportedTarget[],
  strategy: 'fallback' | 'weighted',
  options: { attempts: number | null },
  carried: Carried,
): Record<string, unknown> {
  const kept = targets.slice(0, maxTargets)
  for (const { model } of targets.slice(maxTargets)) {
    carried.left.push({ what: model, why: `a project has at most ${maxTargets} targets` })
  }
  const [first, ...others] = kept
  if (first === undefined) return {}
  const attempts = options.attempts === null ? null : Math.min(options.attempts, maxAttempts)
  if (others.length === 0 && first.timeout_ms === undefined && attempts === null) return { provider_model: first.model }
  return {
    provider_model: first.model,
    routes: { targets: kept, strategy, ...(attempts === null ? {} : { retry: { attempts } }) },
  }
}

export function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const findText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

export const findNumber = (value: unknown): number | null => {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Every field that nothing has read. */
export function leaveOthers(
  place: string,
  record: Record<string, unknown>,
  read: readonly string[],
  why: Readonly<Record<string, string>>,
  carried: Carried,
): void {
  for (const name of Object.keys(record)) {
    if (read.includes(name)) continue
    carried.left.push({ what: `${place}${name}`, why: why[name] ?? 'there is nothing like it' })
  }
}
