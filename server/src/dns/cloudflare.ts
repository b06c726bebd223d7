// Manages records by Cloudflare's DNS API, version 4: lists a name's records, then changes them one by one. The names
// point directly at the target, never through Cloudflare's proxy.
import { isJsonObject, type JsonObject, parseJson } from '../domain/json-object.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { type ApiAnswer, callApi, quoteWords, statusFailure } from './call-api.ts'
import { coveredNames } from './covered-names.ts'
import { DnsFailure } from './dns-failure.ts'
import { type DnsDriver, type DnsTarget, type HostNames, recordTtlSeconds, recordTypes } from './driver.ts'

export interface CloudflareSettings {
  target: DnsTarget
  apiToken: string
  zoneId: string
  apiBase: string
}

interface Found {
  id: string
  type: string
  content: string
  ttl: number
  proxied: boolean
}

type Call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<ApiAnswer>

const provider = 'Cloudflare'

export function createCloudflareDriver(settings: CloudflareSettings, outbound: Pick<Outbound, 'send'>): DnsDriver {
  const { target, apiToken, zoneId, apiBase } = settings
  const read = (answer: ApiAnswer) => readResult(answer, apiToken)
  let zone: string | null = null

  const callUnder =
    (signal: AbortSignal): Call =>
    (method, path, body) => {
      const headers = { authorization: `Bearer ${apiToken}`, accept: 'application/json' }
      const url = `${apiBase}/zones/${encodeURIComponent(zoneId)}${path}`
      if (body === undefined) return callApi(outbound, provider, { method, url, headers }, signal)
      const json = { ...headers, 'content-type': 'application/json' }
      return callApi(outbound, provider, { method, url, headers: json, body: JSON.stringify(body) }, signal)
    }

  const namesOf = async (call: Call, hosts: HostNames) => {
    zone ??= readZoneName(read(await call('GET', '')))
    return coveredNames(zone, hosts)
  }

  const list = async (call: Call, name: string) =>
    readRecords(read(await call('GET', `/dns_records?name.exact=${encodeURIComponent(name)}&per_page=100`)), name)

  const remove = async (call: Call, { id }: Found) => {
    const answer = await call('DELETE', `/dns_records/${encodeURIComponent(id)}`)
    // Already deleted by another client.
    if (answer.status !== 404) read(answer)
  }

  const registerName = async (call: Call, name: string) => {
    const found = await list(call, name)
    const wanted = { type: target.type, name, content: target.target, ttl: recordTtlSeconds, proxied: false }
    const kept = found.find(record => record.type === target.type)
    // Delete the others first: no name may have both a CNAME and an address.
    for (const record of found) if (record !== kept) await remove(call, record)
    if (kept === undefined) read(await call('POST', '/dns_records', wanted))
    else if (!isAsWanted(kept, target)) read(await call('PUT', `/dns_records/${encodeURIComponent(kept.id)}`, wanted))
  }

  return {
    async register(hosts, signal) {
      const call = callUnder(signal)
      for (const name of await namesOf(call, hosts)) await registerName(call, name)
    },
    async remove(hosts, signal) {
      const call = callUnder(signal)
      for (const name of await namesOf(call, hosts)) {
        for (const record of await list(call, name)) await remove(call, record)
      }
    },
  }
}

function isAsWanted(record: Found, { target }: DnsTarget): boolean {
  return record.content.toLowerCase() === target.toLowerCase() && record.ttl === recordTtlSeconds && !record.proxied
}

function readZoneName(result: unknown): string {
  if (isJsonObject(result) && typeof result['name'] === 'string') return result['name'].toLowerCase()
  throw notUnderstood()
}

function readRecords(result: unknown, name: string): Found[] {
  if (!Array.isArray(result)) throw notUnderstood()
  return result.map(readRecord).filter(record => record.name === name && recordTypes.some(type => type === record.type))
}

function readRecord(record: unknown): Found & { name: string } {
  if (!isJsonObject(record)) throw notUnderstood()
  const { id, type, name, content, ttl, proxied } = record
  if (typeof id !== 'string' || typeof type !== 'string' || typeof name !== 'string') throw notUnderstood()
  return {
    id,
    type,
    name: name.toLowerCase(),
    content: typeof content === 'string' ? content : '',
    ttl: Number(ttl),
    proxied: proxied === true,
  }
}

/** Returns the `result` of a successful response; throws for any other. */
function readResult({ status, text }: ApiAnswer, apiToken: string): unknown {
  const body = findObject(text)
  if (status >= 200 && status < 300 && body?.['success'] === true) return body['result']
  const credentials = 'CLOUDFLARE_API_TOKEN needs the permissions Zone Read and DNS Edit for the zone'
  const failure = statusFailure(provider, status, credentials)
  if (failure !== null) throw failure
  const words = quoteErrors(body, apiToken)
  if (status === 404) {
    throw new DnsFailure(
      'unknown_zone',
      `Cloudflare does not know the zone or record (404${words}): check CLOUDFLARE_ZONE_ID.`,
    )
  }
  if (body === null || status < 400) throw notUnderstood()
  throw new DnsFailure('refused', `Cloudflare rejected the change (${status}${words}).`)
}

function quoteErrors(body: JsonObject | null, apiToken: string): string {
  const errors = body?.['errors']
  const [first] = Array.isArray(errors) ? errors : []
  if (!isJsonObject(first)) return ''
  const code = typeof first['code'] === 'number' ? `, code ${first['code']}` : ''
  const message = typeof first['message'] === 'string' ? `: ${quoteWords(first['message'], [apiToken])}` : ''
  return code + message
}

function findObject(text: string): JsonObject | null {
  const value = parseJson(text)
  return isJsonObject(value) ? value : null
}

function notUnderstood(): DnsFailure {
  return new DnsFailure('bad_answer', 'The API of Cloudflare sent an invalid response: check CLOUDFLARE_API_BASE.')
}
