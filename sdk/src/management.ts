// A client of the management API, typed by the OpenAPI document. For servers, scripts and dashboards.
import { callGateway, type Fetch, globalFetch } from './call-gateway.ts'
import { readBaseUrl } from './gateway-address.ts'
import { looksLikeApiKey, refuseInBrowser } from './guard-api-key.ts'
import type { ManagementRoutes } from './management-types.ts'
import { toRecord } from './sallyport-error.ts'

export interface ManagementOptions {
  /** The product's own address (BASE_URL), not a project's. */
  baseUrl: string
  /** A dashboard session token (`sess_…`), or a project's API key for minting. */
  token?: string
  /** True in a page of the dashboard's origin, whose session is a cookie. */
  cookie?: boolean
  /** The operator's secret, for the routes under /v1/admin. */
  adminSecret?: string
  fetch?: Fetch
  /** For each attempt; by default 30 seconds. */
  timeoutMs?: number
  /** For requests that may be repeated: GET, and those with an Idempotency-Key. By default 2. */
  maxRetries?: number
}

export type Operation = keyof ManagementRoutes
export type OutputOf<K extends Operation> = ManagementRoutes[K]['output']
type InputOf<K extends Operation> = ManagementRoutes[K]['input']
type FieldOf<K extends Operation, F extends string> = InputOf<K> extends { [f in F]?: infer Field } ? Field : never
export type BodyOf<K extends Operation> = FieldOf<K, 'body'>
/** The query, and the headers. */
export type OptionsOf<K extends Operation> = Omit<InputOf<K>, 'path' | 'body'>
/** The items of a list, page after page. */
export type ItemsOf<K extends Operation> =
  OutputOf<K> extends { data: (infer Item)[]; next_cursor: string | null } ? AsyncIterable<Item> : never

type Method = Operation extends `${infer M} ${string}` ? M : never
type PathOf<M extends Method> = Extract<Operation, `${M} ${string}`> extends `${M} ${infer P}` ? P : never
type KeyOf<M extends Method, P extends string> = Extract<Operation, `${M} ${P}`>

/** The lists that come in pages. */
type ListPath = {
  [P in PathOf<'GET'>]: ItemsOf<KeyOf<'GET', P>> extends never ? never : P
}[PathOf<'GET'>]

type InputsOf<K extends Operation> =
  Record<never, never> extends InputOf<K> ? [input?: InputOf<K>] : [input: InputOf<K>]

export interface ManagementClient {
  /** Resolves to the response's body; throws a `SallyportError` for every error. */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...input: InputsOf<KeyOf<M, P>>
  ): Promise<OutputOf<KeyOf<M, P>>>
  /** All items of a list, for `for await`: each page is fetched when the one before is used up. */
  list<P extends ListPath>(path: P, ...input: InputsOf<KeyOf<'GET', P>>): ItemsOf<KeyOf<'GET', P>>
}

/** The fields of all inputs. */
interface AnyInput {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
}

export function createManagementClient(options: ManagementOptions): ManagementClient {
  const { token, adminSecret, cookie = false, fetch = globalFetch, timeoutMs = 30_000, maxRetries = 2 } = options
  if (token !== undefined && looksLikeApiKey(token)) refuseInBrowser('createManagementClient with an API key')
  if (adminSecret !== undefined) refuseInBrowser('createManagementClient with the operator’s secret')
  const base = readBaseUrl(options.baseUrl)
  const request = async (method: string, template: string, input: AnyInput = {}): Promise<unknown> => {
    const headers = new Headers(input.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    if (adminSecret !== undefined) headers.set('x-admin-secret', adminSecret)
    // Protects against CSRF: another site's form cannot set this header.
    if (cookie && method !== 'GET') headers.set('x-sallyport', '1')
    if (input.body !== undefined) headers.set('content-type', 'application/json')
    const init: RequestInit = {
      method,
      headers,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      // Some edge runtimes do not know the field.
      ...(cookie ? { credentials: 'include' } : {}),
    }
    const mayRepeat = method === 'GET' || headers.has('idempotency-key')
    const url = `${base}${fillPath(template, input.path ?? {})}${toSearch(input.query ?? {})}`
    return await callGateway(url, init, { fetch, timeoutMs, maxRetries: mayRepeat ? maxRetries : 0 })
  }
  async function* list(template: string, input: AnyInput = {}): AsyncGenerator<unknown> {
    let cursor = input.query?.['cursor']
    do {
      const page = toRecord(await request('GET', template, { ...input, query: { ...input.query, cursor } }))
      if (Array.isArray(page['data'])) yield* page['data']
      cursor = page['next_cursor']
    } while (typeof cursor === 'string')
  }
  return { request: request as ManagementClient['request'], list: list as ManagementClient['list'] }
}

function fillPath(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '')
    if (value === '') throw new TypeError(`path.${name} must not be empty`)
    return encodeSegment(name, value)
  })
}

/** Slashes and dots would lead to another route, so the gateway also accepts user ids in base64url. */
function encodeSegment(name: string, value: string): string {
  const isMisread = value.includes('/') || value === '.' || value === '..'
  if (name === 'uid' && (isMisread || value.startsWith('~'))) {
    const binary = String.fromCharCode(...new TextEncoder().encode(value))
    return `~${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`
  }
  if (isMisread) throw new TypeError(`path.${name} must not be "${value}"`)
  return encodeURIComponent(value)
}

function toSearch(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
