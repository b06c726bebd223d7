// Cloudflare's DNS API as far as the driver may use it, on loopback: keeps records and finds fault with every request
// that is not exactly what the API documents. Knows nothing of the driver.
import { expect } from 'vitest'
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../support/simulated/scripted-upstream.ts'
import { zone } from './driver-contract.ts'

interface ApiRecord {
  id: string
  type: string
  name: string
  content: string
  ttl: number
  proxied: boolean
}

export interface CloudflareApi {
  upstream: ScriptedUpstream
  token: string
  zoneId: string
  records: ApiRecord[]
  /** What was wrong with requests. */
  faults: string[]
  /** Answers as the real one would, again. */
  serve: () => void
}

const good = (result: unknown, status = 200): UpstreamAnswer => ({
  status,
  body: { success: true, errors: [], messages: [], result },
})
export const bad = (status: number, code: number, message: string): UpstreamAnswer => ({
  status,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
})

export async function startCloudflareApi(): Promise<CloudflareApi> {
  const upstream = await startUpstream()
  const api: CloudflareApi = {
    upstream,
    token: 'cf-token-7f3a9bQx',
    zoneId: '023e105f4ecef8ad9ca31a8372d0c353',
    records: [],
    faults: [],
    serve: () => upstream.on('*', request => answer(api, request)),
  }
  api.serve()
  return api
}

function answer(api: CloudflareApi, request: UpstreamRequest): UpstreamAnswer {
  const { headers } = request
  if (headers.authorization !== `Bearer ${api.token}`) return bad(403, 10000, 'Authentication error')
  try {
    expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'identity' })
    expect(Object.keys(headers).sort()).toEqual(
      [
        ...['accept', 'accept-encoding', 'authorization', 'connection', 'host'],
        ...(request.body === '' ? [] : ['content-length', 'content-type']),
      ].sort(),
    )
    if (request.body !== '') expect(headers['content-type']).toBe('application/json')
  } catch (error) {
    api.faults.push(String(error))
  }
  const [, base, version, zones, ...path] = request.path.split('/')
  if (`${base}/${version}/${zones}` !== 'client/v4/zones') return bad(404, 7000, 'No route for that URI')
  return answerZone(api, request, path)
}

function answerZone(api: CloudflareApi, request: UpstreamRequest, path: string[]): UpstreamAnswer {
  const [zoneId, collection, id, ...rest] = path
  if (zoneId !== api.zoneId || rest.length > 0) return bad(404, 7003, 'Could not route to the zone')
  if (collection === undefined) return good({ id: api.zoneId, name: zone, status: 'active' })
  if (collection !== 'dns_records') return bad(404, 7000, 'No route for that URI')
  switch (`${request.method} ${id === undefined ? 'all' : 'one'}`) {
    case 'GET all':
      return list(api, request)
    case 'POST all':
      return put(api, request, null)
    case 'PUT one':
      return api.records.some(record => record.id === id)
        ? put(api, request, id ?? '')
        : bad(404, 81044, 'Record not found')
    case 'DELETE one': {
      if (!api.records.some(record => record.id === id)) return bad(404, 81044, 'Record not found')
      api.records = api.records.filter(record => record.id !== id)
      return good({ id })
    }
    default:
      return bad(405, 10405, 'Method not allowed')
  }
}

function list(api: CloudflareApi, { query }: UpstreamRequest): UpstreamAnswer {
  if (Object.keys(query).sort().join() !== 'name.exact,per_page') api.faults.push(`query ${JSON.stringify(query)}`)
  return good(api.records.filter(record => record.name === query['name.exact']).slice(0, Number(query['per_page'])))
}

function put(api: CloudflareApi, request: UpstreamRequest, id: string | null): UpstreamAnswer {
  const body: ApiRecord = JSON.parse(request.body)
  if (Object.keys(body).sort().join() !== 'content,name,proxied,ttl,type') api.faults.push(`body ${request.body}`)
  if (body.proxied !== false || body.ttl !== 300) api.faults.push(`body ${request.body}`)
  const others = api.records.filter(record => record.name === body.name && record.id !== id)
  const isSame = others.some(record => record.type === body.type && record.content === body.content)
  if (isSame) return bad(400, 81058, 'An identical record already exists.')
  const clashes = others.filter(({ type }) => ['A', 'AAAA', 'CNAME'].includes(type))
  if (clashes.some(({ type }) => type === 'CNAME' || body.type === 'CNAME')) {
    return bad(400, 81053, 'An A, AAAA, or CNAME record with that host already exists.')
  }
  const record = { ...body, id: id ?? `id-${Math.random().toString(16).slice(2)}` }
  api.records = [...api.records.filter(known => known.id !== id), record]
  return good(record)
}
