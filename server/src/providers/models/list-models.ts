// Reads a provider's model list page by page, within limits: an endless or circular list is an error.

import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import { hasTooManyValues } from '../../domain/json-values.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { Outbound, SmallRequest } from '../../outbound/outbound.ts'
import { KnownSecrets } from '../known-secrets.ts'
import { AuthorisationFailure, type AuthorisationTools, type ProviderAdapter, readingOf } from '../provider-adapter.ts'
import type { ListedModel, ModelListFormat } from './model-page.ts'
import { readOpenAiPage } from './openai-model-list.ts'

/** The list is not available: the provider is down, rejects the request, or returns no list. Holds no provider text. */
export class ModelListFailure extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`models could not be listed: ${reason}`, cause === undefined ? {} : { cause })
    this.name = 'ModelListFailure'
  }
}

interface ListSource {
  url: string
  headers: Record<string, string>
  guard: 'tenant' | 'operator'
  tenantId?: string
  format: ModelListFormat
  acceptsBareList: boolean
  /** Of a list that is requested with a key. */
  secrets?: KnownSecrets
}

const maxPages = 50
const maxModels = 20_000
const pageBytes = 8 * 1024 * 1024
/** Texts, names, lists and objects: the longest known list has some 30,000. */
const maxPageValues = 100_000
const pageTimeoutMs = 10_000
const totalTimeoutMs = 30_000

interface ModelListPlace {
  adapter: ProviderAdapter
  baseUrl: string
  /** Null requests the list without one, because some lists are public. */
  credential: string | null
  /** `tenant` for an address that the tenant chose. */
  guard: 'tenant' | 'operator'
}

export async function listProviderModels(tools: AuthorisationTools, place: ModelListPlace): Promise<ListedModel[]> {
  const { adapter, guard } = place
  const { outbound, tenantId } = tools
  const { modelList, embeddingModelList } = adapter
  const found = new Map<string, ListedModel>()
  for (const list of embeddingModelList === undefined ? [modelList] : [modelList, embeddingModelList]) {
    const { url, headers } = await readingOf(adapter, place, list, tools).catch(asListFailure)
    const { format, acceptsBareList = false } = list
    const owner = tenantId === undefined ? {} : { tenantId }
    const secrets = new KnownSecrets(adapter, place.credential ?? '')
    secrets.noteSent(headers)
    const source = { url, headers, guard, format, acceptsBareList, secrets, ...owner }
    for (const model of await walk(outbound, source)) if (!found.has(model.model)) found.set(model.model, model)
  }
  return [...found.values()]
}

/**
 * For a provider of the catalog that is not built in: its address comes from a user, its format is OpenAI's. Sent
 * without a key: the environment only has keys of built-in providers.
 */
export async function listEndpointModels(outbound: Pick<Outbound, 'send'>, url: string): Promise<ListedModel[]> {
  return await walk(outbound, { url, headers: {}, guard: 'tenant', format: readOpenAiPage, acceptsBareList: false })
}

async function walk(outbound: Pick<Outbound, 'send'>, source: ListSource): Promise<ListedModel[]> {
  const signal = AbortSignal.timeout(totalTimeoutMs)
  const found = new Map<string, ListedModel>()
  const asked = new Set<string>()
  let url = source.url
  while (!asked.has(url)) {
    asked.add(url)
    if (asked.size > maxPages) throw new ModelListFailure('too many pages')
    const { models, next } = await fetchPage(outbound, source, url, signal)
    for (const model of models) if (!found.has(model.model)) found.set(model.model, model)
    if (found.size > maxModels) throw new ModelListFailure('too many models')
    if (next === null) return [...found.values()]
    url = withQuery(source.url, next)
  }
  throw new ModelListFailure('pages in a circle')
}

async function fetchPage(outbound: Pick<Outbound, 'send'>, source: ListSource, url: string, signal: AbortSignal) {
  const { format, acceptsBareList, secrets, ...place } = source
  const headers = { accept: 'application/json', ...source.headers }
  const request = { ...place, url, method: 'GET', headers, timeoutMs: pageTimeoutMs, maxBytes: pageBytes, signal }
  const { status, body } = await send(outbound, request)
  if (status < 200 || status >= 300) throw new ModelListFailure(`status ${status}`)
  // Names of models are shown.
  const redactor = secrets?.createByteRedactor()
  const page = redactor === undefined ? body : Buffer.concat([redactor.push(body), redactor.end()])
  if (hasTooManyValues(page, maxPageValues)) throw new ModelListFailure('too many values')
  const value = parseJson(page.toString())
  const whole = acceptsBareList && Array.isArray(value) ? { data: value } : value
  const list = isJsonObject(whole) ? format(whole) : null
  if (list === null) throw new ModelListFailure('no list')
  return list
}

async function send(outbound: Pick<Outbound, 'send'>, request: SmallRequest) {
  try {
    return await outbound.send(request)
  } catch (error) {
    return asListFailure(error)
  }
}

function asListFailure(error: unknown): never {
  if (error instanceof AuthorisationFailure) throw new ModelListFailure(error.error.class, error)
  if (!(error instanceof OutboundFailure)) throw error
  throw new ModelListFailure(error.kind, error)
}

function withQuery(text: string, parameters: Record<string, string>): string {
  const url = new URL(text)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
