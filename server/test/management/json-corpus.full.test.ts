// What counts as JSON: a public corpus of right, wrong and arguable documents where the machine has it, and a small one
// of our own, on every route that takes a body; and bodies too large, packed or of another type.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, inject, test } from 'vitest'
import { describeEachBackend } from '../support/management-harness.ts'
import { describeWithSharedData } from '../support/shared-data.ts'
import { goodBody } from './good-bodies.ts'
import { idsFor, requestTo } from './idor-callers.ts'
import { expectOk } from './requests.ts'
import { eachOf, type Got, type Sent } from './send.ts'
import { startTwoTenants, type TenantOf, type TwoTenants } from './two-tenants.ts'

interface Document {
  name: string
  /** y must be read, n must be refused, i is for the reader to decide. */
  kind: 'y' | 'n' | 'i'
  bytes: Buffer
}

const prove = inject('prove')
const limitBytes = 1_048_576
/** An empty body is no body: the route then says what it misses. */
const empty = 'n_structure_no_data.json'

function readPublicDocuments(folder: string): Document[] {
  const names = readdirSync(folder).filter(name => name.endsWith('.json') && name !== empty)
  return names.map(name => ({ name, kind: name[0] as Document['kind'], bytes: readFileSync(join(folder, name)) }))
}

const text = (kind: Document['kind'], name: string, body: string | Buffer): Document => ({
  name: `${kind} ${name}`,
  kind,
  bytes: Buffer.from(body),
})
const nest = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth)

const ownDocuments: Document[] = [
  text('y', 'a name given twice', '{"name":"a","name":"b"}'),
  text('y', 'white space around', ' \t\r\n{"name" :\n"a" } \r\n'),
  text('y', 'escapes of every kind', '{"\\u006e\\u0061me":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u20ac\\ud83d\\ude00"}'),
  text('y', 'numbers without measure', '{"a":1e400,"b":-1e400,"c":0.1e-999,"d":123456789012345678901234567890}'),
  text('y', 'names that objects have', '{"__proto__":{"name":"x"},"constructor":{"prototype":1},"toString":null}'),
  text('y', 'an empty name', '{"":0}'),
  text('y', 'a list', '[]'),
  text('y', 'a string', '"name"'),
  text('y', 'null', 'null'),
  text('y', 'a number', '0'),
  text('i', 'a byte order mark', Buffer.from('\ufeff{"name":"a"}')),
  text('i', 'an unpaired surrogate', '{"name":"\\ud800"}'),
  text('i', 'sixty levels', nest('{"a":', '1', '}', 60)),
  text('i', 'a thousand levels', nest('[', '', ']', 1000)),
  text('n', 'a hundred thousand lists', nest('[', '', ']', 100_000)),
  text('n', 'a hundred thousand objects', nest('{"a":', '1', '}', 100_000)),
  text('n', 'a hundred thousand lists, never closed', '['.repeat(100_000)),
  text('n', 'bytes that are not UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, 0x22, 0x7d])),
  text('n', 'an overlong slash', Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0xaf, 0x22, 0x7d])),
  text('n', 'a surrogate in UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d])),
  text('n', 'UTF-16', Buffer.from('{"name":"a"}', 'utf16le')),
  text('n', 'a NUL behind it', '{"name":"a"}\0'),
  text('n', 'a NUL within', '{"name":"a\0b"}'),
  text('n', 'a comment', '{"name":"a"/* b */}'),
  text('n', 'a comma too many', '{"name":"a",}'),
  text('n', 'single quotes', "{'name':'a'}"),
  text('n', 'no quotes', '{name:"a"}'),
  text('n', 'two documents', '{"name":"a"}{"name":"b"}'),
  text('n', 'half a document', '{"name":"a'),
  text('n', 'NaN', '{"a":NaN}'),
  text('n', 'an octal number', '{"a":017}'),
  text('n', 'a form', 'name=a'),
  text('n', 'white space alone', ' \n'),
  text('n', 'a line end in a string', '{"name":"a\nb"}'),
]

/** One of each: a stranger's, a member's, the operator's and a project's. */
const representatives = [
  'POST /auth/v1/sessions',
  'PUT /auth/v1/projects/:projectId/settings',
  'POST /v1/admin/killswitch/global',
  'POST /auth/v1/auth/mint',
]

interface Described {
  requestBody?: unknown
}

describeEachBackend('JSON bodies', start => {
  let world: TwoTenants
  let spare: TenantOf
  let routes: { method: string; pattern: string }[]
  beforeAll(async () => {
    world = await startTwoTenants(start, { MINT_RPM: '1000000' })
    spare = await world.makeSpare()
    const document = await world.plane.call('GET', '/auth/v1/openapi.json')
    const { paths } = expectOk<{ paths: Record<string, Record<string, Described>> }>(document)
    // A project without anonymous users refuses them before it reads a body.
    const withBodies = Object.entries(paths).filter(([path]) => path !== '/v1/auth/anonymous')
    const all = withBodies.flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { requestBody }]) => requestBody !== undefined)
        .map(([method]) => ({ method: method.toUpperCase(), pattern: path.replace(/\{(\w+)\}/g, ':$1') })),
    )
    expect(all.length).toBeGreaterThanOrEqual(30)
    routes = prove ? all : all.filter(({ method, pattern }) => representatives.includes(`${method} ${pattern}`))
    expect(routes.length).toBeGreaterThanOrEqual(representatives.length)
  })

  const opened = ({ method, pattern }: { method: string; pattern: string }): Sent => {
    const headers = pattern.includes('/admin/')
      ? ([['X-Admin-Secret', world.plane.adminSecret]] as const)
      : ([
          ['Authorization', `Bearer ${pattern.includes('/mint') ? spare.projects[0].apiKey : spare.owner.session}`],
        ] as const)
    const sent = requestTo({ method, pattern }, idsFor(world, spare), { headers: [...headers, world.forwarded()] })
    return pattern === '/v1/auth/mint' ? { ...sent, host: spare.projects[0].host } : sent
  }
  const isInvalid = ({ status, body }: Got) =>
    status === 400 && (body as { error?: string } | null)?.error === 'Invalid JSON body'

  function faultOf({ kind }: Document, got: Got, pattern: string): string | null {
    if (got.status >= 500 && !(got.status === 503 && pattern.endsWith('/playground'))) return 'a fault of the server'
    if (kind === 'y' && isInvalid(got)) return 'refused'
    if (kind === 'n' && !isInvalid(got)) return 'taken'
    return null
  }

  async function tryAll(documents: readonly Document[]): Promise<unknown[]> {
    const tries = routes.flatMap(route => documents.map(document => ({ route, document })))
    const faults = await eachOf(tries, async ({ route, document }) => {
      const got = await world.send({ ...opened(route), body: document.bytes })
      const fault = faultOf(document, got, route.pattern)
      return fault === null ? [] : [{ route, document: document.name, fault, status: got.status, text: got.text }]
    })
    return faults.flat()
  }

  test('of our own corpus', async () => {
    expect(await tryAll(ownDocuments)).toEqual([])
  })

  describeWithSharedData('of the public corpus', 'security/jsontestsuite/test_parsing', folder => {
    test('each as its name says', { timeout: 600_000 }, async () => {
      const documents = readPublicDocuments(folder)
      expect(documents.length).toBeGreaterThan(300)
      expect(await tryAll(documents)).toEqual([])
    })
  })

  test('the last of two equal names counts', async () => {
    const sent = { ...opened({ method: 'PUT', pattern: representatives[1]?.slice(4) ?? '' }) }
    const got = await world.send({ ...sent, body: '{"rpm_limit":3,"system_prompt":"x","rpm_limit":9}' })
    expect(got.body).toMatchObject({ rpm_limit: 9, system_prompt: 'x' })
  })

  test('no body is an empty one', async () => {
    for (const route of routes) {
      const isRepresentative = representatives.includes(`${route.method} ${route.pattern}`)
      for (const body of [undefined, '']) {
        const got = await world.send({ ...opened(route), body })
        expect({ route, isFault: got.status >= 500, invalid: isInvalid(got) }).toEqual({
          route,
          isFault: got.status === 503 && route.pattern.endsWith('/playground'),
          invalid: false,
        })
        // Some routes need nothing; these four do.
        if (isRepresentative) expect([route, got.status]).toEqual([route, 400])
      }
    }
  })

  test('a megabyte and not a byte more', async () => {
    for (const route of routes) {
      const sent = opened(route)
      const good = JSON.stringify(goodBody(route.method, route.pattern, world.upstreamUrl) ?? {})
      const padded = (bytes: number) => good + ' '.repeat(bytes - good.length)
      const most = await world.send({ ...sent, body: padded(limitBytes) })
      expect({ route, status: most.status }).not.toEqual({ route, status: 413 })
      expect(isInvalid(most)).toBe(false)
      const over = await world.send({ ...sent, body: padded(limitBytes + 1) })
      expect([route, over.status, over.body]).toEqual([route, 413, { error: 'Payload too large' }])
    }
  })

  test('another type or a packed body is not read', async () => {
    const message = { error: 'Content-Type must be application/json' }
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
    ].concat(['application/xml', 'application/jsonp', 'application/octet-stream', 'application/json-patch+json'])
    for (const route of routes) {
      const sent = opened(route)
      for (const type of types) {
        const headers = [...(sent.headers ?? []), ['Content-Type', type] as const]
        const got = await world.send({ ...sent, headers })
        expect([route, type, got.status, got.body]).toEqual([route, type, 415, message])
      }
      const headers = [...(sent.headers ?? []), ['Content-Encoding', 'gzip'] as const]
      const packed = await world.send({ ...sent, headers, body: gzipSync(JSON.stringify(sent.body)) })
      expect([route, packed.status]).toEqual([route, 415])
      expect(Object.keys(packed.body as object)).toEqual(['error'])
      const typed = [...(sent.headers ?? []), ['Content-Type', 'Application/JSON; charset=UTF-8'] as const]
      const plain = await world.send({ ...sent, headers: typed })
      expect([route, [400, 415].includes(plain.status)]).toEqual([route, false])
    }
  })

  test('and after all of it the product is well', async () => {
    expect((await world.plane.call('GET', '/readyz')).status).toBe(200)
    const lines = world.plane.product.stderr().split('\n')
    expect(
      lines.filter(
        line => line.includes('"level":"error"') && !line.includes('inference_unavailable') && !isStall(line),
      ),
    ).toEqual([])
  })
})

/** The worker's wait for a store that a busy machine kept from answering. */
const isStall = (line: string) => line.includes('"event":"job failed"') && line.includes('"name":"StoreUnavailable"')
