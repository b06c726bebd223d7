// Hostile strings in every place of every body, query, path and header that the running product describes: never a
// fault of the server, and what it took comes back exactly as it was given.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { sendRaw } from '../http/raw-request.ts'
import { describeEachBackend } from '../support/management-harness.ts'
import { describeWithSharedData } from '../support/shared-data.ts'
import { goodBody } from './good-bodies.ts'
import { idsFor, requestTo } from './idor-callers.ts'
import {
  asName,
  hardStrings,
  type JsonSchema,
  type Path,
  type Place,
  percentEncoded,
  placesOf,
  publicStrings,
  sampleFor,
  stringsAt,
  valueAt,
  withText,
} from './naughty-strings.ts'
import { expectOk } from './requests.ts'
import { eachOf, type Got, type Sent } from './send.ts'
import { startTwoTenants, type TenantOf, type TwoTenants } from './two-tenants.ts'

interface Operation {
  method: string
  pattern: string
  places: Place[]
  queries: string[]
}

interface Described {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
}

interface Fault {
  route: string
  place: string
  text: string
  status: number
  got: string
}

const prove = inject('prove')
const known = publicStrings()
describeWithSharedData('the public list', 'security/blns.json', () => {
  test('is tried beside our own', () => expect(known.length).toBeGreaterThan(300))
})
const fewFor = (name: string) => sampleFor(name, [...hardStrings, ...known], prove ? 60 : 5)

/** Fields that are kept in another form than they came in: the form is the contract's. */
const normal: Record<string, (text: string) => string> = {
  email: text => text.trim().toLowerCase(),
  name: text => text.trim(),
  displayName: text => text.trim(),
  issuer: text => text.trim(),
  jwks_url: text => text.trim(),
  audience: text => text.trim(),
  user_id_claim: text => text.trim(),
  tier_claim: text => text.trim(),
  user_id: text => text.trim(),
  tier: text => text.trim(),
}

describeEachBackend('naughty strings', (start, backend) => {
  const stringsFor = (name: string) => stringsAt(`${backend} ${name}`, known, prove)
  let world: TwoTenants
  let operations: Operation[]
  beforeAll(async () => {
    world = await startTwoTenants(start, { MINT_RPM: '1000000' })
    const document = await world.plane.call('GET', '/auth/v1/openapi.json')
    operations = operationsOf(expectOk<{ paths: Record<string, Record<string, Described>> }>(document).paths)
  })

  const headersFor = (pattern: string, tenant: TenantOf): (readonly [string, string])[] => {
    const address = world.forwarded()
    if (pattern.includes('/admin/')) return [['X-Admin-Secret', world.plane.adminSecret], address]
    if (pattern.includes('/auth/mint')) return [['Authorization', `Bearer ${tenant.projects[0].apiKey}`], address]
    return [['Authorization', `Bearer ${tenant.owner.session}`], address]
  }
  const hostFor = (pattern: string, tenant: TenantOf) =>
    pattern.startsWith('/v1/auth/') ? { host: tenant.projects[0].host } : {}
  const base = (operation: Operation, tenant: TenantOf): Sent => ({
    ...requestTo(operation, idsFor(world, tenant), { headers: headersFor(operation.pattern, tenant) }),
    ...hostFor(operation.pattern, tenant),
  })
  const isFault = ({ status, text }: Got, pattern: string) =>
    status >= 500 &&
    // The playground has nobody behind it in this plane, or a provider without answers, and says so.
    !((status === 502 || status === 503) && pattern.endsWith('/playground')) &&
    // A string may name a server that nobody can reach, or a region.
    !(status === 502 && pattern.includes('/providers/') && text.includes('PROVIDER_UNREACHABLE'))

  /** The record as a later read shows it; undefined where nothing shows it again. */
  async function readBack(operation: Operation, tenant: TenantOf, sent: Sent, got: Got): Promise<unknown> {
    const { pattern, method } = operation
    const id = (got.body as { id?: string }).id
    const get = async (path: string) =>
      (await world.send({ method: 'GET', path, headers: headersFor(pattern, tenant) })).body
    const find = async (path: string) => {
      const listed = await get(path)
      const records = Array.isArray(listed) ? listed : (listed as { providers: unknown[] }).providers
      return (records as { id: string }[]).find(record => record.id === id)
    }
    if (pattern === '/auth/v1/tenants') return await get(`/auth/v1/tenants/${id}`)
    if (/\/(tiers|tiers\/:tierId)$/.test(pattern)) return await find(sent.path.replace(/\/tiers\/.*/, '/tiers'))
    if (/\/(projects|api-keys)$/.test(pattern)) return await find(sent.path)
    if (pattern.endsWith('/admin/providers')) {
      const listed = (await find(sent.path)) as Record<string, unknown> | undefined
      return { ...listed, displayName: listed?.['display_name'] }
    }
    if (/\/(settings|identity-provider)$/.test(pattern) && method === 'PUT') return await get(sent.path)
    if (pattern.endsWith('/auth/mint')) {
      const claims = String((got.body as { access_token: string }).access_token).split('.')[1] ?? ''
      const { uid, tier, role } = JSON.parse(Buffer.from(claims, 'base64url').toString())
      return { user_id: uid, tier, role, session_id: (got.body as { session_id?: string }).session_id }
    }
    if (pattern.endsWith('/members')) return got.body
    return undefined
  }

  let made = 0
  function bodyFor({ method, pattern }: Operation): unknown {
    if (pattern.endsWith('/sessions')) return { email: 'nobody@example.com', password: 'x' }
    const good = goodBody(method, pattern, world.upstreamUrl)
    // Taken names would be refused before the string in question is looked at.
    return pattern.endsWith('/admin/providers') ? { ...good, name: `Name ${++made}`, slug: `slug-${made}` } : good
  }

  async function tryPlace(operation: Operation, tenant: TenantOf, path: Path, text: string): Promise<Fault[]> {
    const { method, pattern } = operation
    const good = bodyFor(operation)
    const sent = { ...base(operation, tenant), body: withText(good, path, text) }
    const got = await world.send(sent)
    const fault = (why: string) => [
      { route: `${method} ${pattern}`, place: path.join('.'), text: text.slice(0, 80), status: got.status, got: why },
    ]
    if (isFault(got, pattern)) return fault(got.text)
    if (got.status >= 300) return []
    const record = await readBack(operation, tenant, sent, got)
    if (method === 'POST' && pattern.endsWith('/tiers')) await removeTier(tenant, sent.path, got)
    if (record === undefined || path.includes(asName)) return []
    const shown = valueAt(record, path)
    const field = String(path[0])
    // Fields that a route takes and never shows, and origins, whose form is tested by itself.
    if (shown === undefined || field === 'cors_origins') return []
    // An empty one is none: the mint makes one up.
    if (field === 'session_id' && text === '') return []
    return shown === (normal[field]?.(text) ?? text) ? [] : fault(`read back as ${JSON.stringify(shown)}`)
  }

  async function removeTier(tenant: TenantOf, path: string, got: Got): Promise<void> {
    const { id } = got.body as { id: string }
    await world.send({ method: 'DELETE', path: `${path}/${id}`, headers: headersFor(path, tenant) })
  }

  const slowest = 1_200_000
  test('in every place of every body', { timeout: slowest }, async () => {
    const bodies = operations.filter(({ places }) => places.length > 0)
    expect(bodies.length).toBeGreaterThanOrEqual(20)
    const faults = await eachOf(bodies, async operation => {
      const tenant = await world.makeTenantOf(1)
      const tries = operation.places.flatMap(({ path, isFree }) => {
        const name = `${operation.pattern} ${path.join('.')}`
        return (isFree ? stringsFor(name) : fewFor(name)).map(text => ({ path, text }))
      })
      // What is read back must not be overwritten meanwhile; the provider routes take half a second each and show
      // nothing.
      const width = operation.pattern.includes('/providers/') ? 24 : 1
      return (await eachOf(tries, ({ path, text }) => tryPlace(operation, tenant, path, text), width)).flat()
    })
    expect(faults.flat()).toEqual([])
  })

  test('in every query', { timeout: slowest }, async () => {
    const asked = operations.flatMap(operation => operation.queries.map(name => ({ operation, name })))
    expect(asked.length).toBeGreaterThanOrEqual(10)
    const faults = await eachOf(asked, async ({ operation, name }) => {
      const encoded = stringsFor(`${operation.pattern}?${name}`).map(percentEncoded)
      const raw = ['%', '%zz', '%ff%fe', '&', '='].concat([`1&${name}=2`, `x&${name}[]=1&${name}[a]=b`, '1;a', '+'])
      return await eachOf(
        [...encoded, ...raw],
        async text => {
          const sent = base({ ...operation, pattern: operation.pattern }, world.a)
          return await attempt(operation, name, { ...sent, path: `${sent.path}?${name}=${text}` })
        },
        4,
      )
    })
    expect(faults.flat(2)).toEqual([])
  })

  test('in every id of a path', { timeout: slowest }, async () => {
    const tried = operations.flatMap(operation =>
      [...operation.pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => ({ operation, name })),
    )
    expect(tried.length).toBeGreaterThanOrEqual(40)
    const faults = await eachOf(tried, async ({ operation, name }) => {
      const texts = stringsFor(`${operation.pattern} ${name}`).filter(text => text !== '')
      return await eachOf(
        texts,
        async text => {
          const ids = { ...idsFor(world, world.a), [name]: percentEncoded(text) }
          const headers = headersFor(operation.pattern, world.a)
          return await attempt(operation, name, requestTo(operation, ids, { headers }))
        },
        4,
      )
    })
    expect(faults.flat(2)).toEqual([])
  })

  async function attempt({ method, pattern }: Operation, place: string, sent: Sent): Promise<Fault[]> {
    const got = await world.send(sent)
    if (!isFault(got, pattern)) return []
    return [{ route: `${method} ${pattern}`, place, text: sent.path.slice(-200), status: got.status, got: got.text }]
  }

  describe('in headers', () => {
    const names = [
      'Authorization',
      'X-Admin-Secret',
      'Idempotency-Key',
      'X-User-Id',
      'Origin',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Request-Id',
      'Content-Type',
      'Accept',
      'Cookie',
      'X-Internal-Secret',
    ]
    const valuesFor = (name: string) =>
      stringsFor(name)
        .map(text => text.slice(0, 4000))
        .flatMap(text => (name === 'Authorization' ? [text, `Bearer ${text}`, `Bearer sess_${text}`] : [text]))

    /** A route that reads the header. */
    const reading = (name: string) => {
      if (name === 'X-Admin-Secret') return { method: 'GET', path: '/v1/admin/killswitch/status', body: '' }
      if (name !== 'X-User-Id') return { method: 'POST', path: '/auth/v1/tenants', body: '{"name":"Header"}' }
      const messages = [{ role: 'user', content: 'Hello' }]
      const path = `/auth/v1/projects/${world.a.projects[0].id}/playground`
      return { method: 'POST', path, body: JSON.stringify({ messages }) }
    }

    test.each(names)('%s', { timeout: slowest }, async name => {
      const { method, path, body } = reading(name)
      const session = `Authorization: Bearer ${world.a.owner.session}\r\n`
      const faults = await eachOf(valuesFor(name), async value => {
        const line = `${name}: ${Buffer.from(value).toString('latin1')}\r\n`
        const typed = name === 'Content-Type' || body === '' ? '' : 'Content-Type: application/json\r\n'
        const opened = (name === 'Authorization' ? line : session + line) + typed
        const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${opened}`
        return await attemptRaw(name, value, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)
      })
      expect(faults.flat()).toEqual([])
    })

    test('Host', { timeout: slowest }, async () => {
      const variants = [
        'localhost:99999',
        'localhost:',
        '[::1',
        'a..b',
        '.localhost',
        'localhost.',
        '127.1',
        '0x7f.1',
      ].concat([
        'local\u0000host',
        'localhost\\@evil',
        'localhost/x',
        'LOCALHOST',
        'xn--',
        `${'a'.repeat(64)}.localhost`,
      ])
      const faults = await eachOf([...stringsFor('Host'), ...variants], async value => {
        const host = Buffer.from(value.slice(0, 4000)).toString('latin1')
        return await attemptRaw(
          'Host',
          value,
          `GET /auth/v1/tenants HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        )
      })
      expect(faults.flat()).toEqual([])
    })

    async function attemptRaw(place: string, text: string, bytes: string): Promise<Fault[]> {
      const { answers } = await sendRaw(world.plane.product.port, bytes, { quietMs: 1000 })
      const status = answers[0]?.status ?? 0
      if ((status > 0 && status < 500) || answers[0]?.body.includes('Inference is not available')) return []
      return [{ route: 'headers', place, text: text.slice(0, 80), status, got: answers[0]?.body ?? 'no answer' }]
    }
  })

  test('and after all of it the product is well, and had no fault of its own', async () => {
    expect((await world.plane.call('GET', '/readyz')).status).toBe(200)
    const faults = world.plane.product
      .stderr()
      .split('\n')
      .filter(
        line =>
          line.includes('"level":"error"') &&
          !line.includes('inference_unavailable') &&
          !isUnreachable(line) &&
          !isStall(line),
      )
    expect(faults).toEqual([])
  })
})

/** The long paths alone: an alias is the same declaration. */
function operationsOf(paths: Record<string, Record<string, Described>>): Operation[] {
  return Object.entries(paths)
    .filter(([path]) => !(path.startsWith('/v1/') && paths[`/auth${path}`] !== undefined && path !== '/v1/auth/mint'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        pattern: path.replace(/\{(\w+)\}/g, ':$1'),
        places: requestBody === undefined ? [] : placesOf(requestBody.content['application/json']?.schema ?? {}),
        queries: parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name),
      })),
    )
}

/** The worker's wait for a store that a busy machine kept from answering. */
const isStall = (line: string) => line.includes('"event":"job failed"') && line.includes('"name":"StoreUnavailable"')

/** A provider that a string names, or one without answers. */
const isUnreachable = (line: string) =>
  line.includes('"status":502') && /"code":"provider_un(reachable|available)"/.test(line)
