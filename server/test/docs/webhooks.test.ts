// docs/webhooks.md: its receiver verifies what the product sends and rejects the rest; its example and its table are
// those of real events.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditEventType, tenantEvents, testEventType } from '../../src/domain/webhooks/tenant-events.ts'
import { startManagement } from '../support/management-harness.ts'
import { findFreePort, startProcess } from '../support/server-process.ts'
import { checkout } from './fences.ts'
import { fencesOf } from './runners.ts'

const [example, receiver] = ['json', 'js'].map(
  language => fencesOf('docs/webhooks.test.ts').find(fence => fence.language === language)?.code ?? '',
)

// Prints what arrives, so that the test can send it again.
const tap = `const { stringify } = JSON
  const { emit } = Server.prototype
  Server.prototype.emit = function (name, request, ...rest) {
    if (name === 'request') process.stderr.write(stringify(request.headers) + '\\n')
    return emit.call(this, name, request, ...rest)
  }\n`

test('the receiver accepts a delivery, and nothing that was changed, replayed later or not signed', async () => {
  const plane = await startManagement('sqlite', { env: { OUTBOUND_ALLOW: '127.0.0.1' } })
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/`
  const { session } = plane.owner
  const tenant = await plane.makeTenant()
  const created = await plane.call('POST', `/auth/v1/tenants/${tenant.id}/webhooks`, { session, body: { url } })
  const { id, secret } = created.body as { id: string; secret: string }
  const child = await startProcess({
    command: process.execPath,
    args: ['--input-type=module', '-e', `import { Server } from 'node:http'\n${receiver}\n${tap}`],
    env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret },
  })
  try {
    await expect
      .poll(() =>
        fetch(url).then(
          response => response.status,
          () => 0,
        ),
      )
      .toBe(401)
    const project = await plane.makeProject(tenant.id)
    await expect.poll(() => child.stdout()).toContain(`project_created {"slug":"${project.slug}"}`)
    const path = `/auth/v1/tenants/${tenant.id}/webhooks/${id}/deliveries`
    await expect
      .poll(async () => (await plane.call('GET', path, { session })).body)
      .toMatchObject({ data: [{ status: 'delivered', last_status: 204 }] })
    const [stored] = await plane.query<{ body: string }>('select body from webhook_deliveries')
    const body = stored?.body ?? ''
    const arrived = child
      .stderr()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, string>)
      .find(headers => headers['webhook-id'] !== undefined)
    const send = async (changes: Record<string, string>, sent = body) => {
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
      const headers = Object.fromEntries(names.map(name => [name, arrived?.[name] ?? '']))
      const response = await fetch(url, { method: 'POST', headers: { ...headers, ...changes }, body: sent })
      return response.status
    }
    expect(await send({})).toBe(204)
    expect(await send({ 'webhook-signature': `v1,AAAA ${arrived?.['webhook-signature']}` })).toBe(204)
    expect(await send({}, `${body} `)).toBe(401)
    expect(await send({ 'webhook-id': 'another' })).toBe(401)
    expect(await send({ 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) })).toBe(401)
    expect(await send({ 'webhook-signature': 'v1,AAAA' })).toBe(401)
    expect(await send({ 'webhook-signature': (arrived?.['webhook-signature'] ?? '').replace('v1,', 'v2,') })).toBe(401)
    const shown = JSON.parse(example ?? '') as Record<string, unknown>
    expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(shown))
  } finally {
    await child.end('SIGTERM')
    await plane.stop()
  }
})

test('the table of event types is the one of the product', () => {
  const page = readFileSync(join(checkout, 'docs/webhooks.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| ([^|]*) \|/gm)]
    .map(([, type = '', fields = '']) => [type, [...fields.matchAll(/`([a-z_]+)`/g)].map(([, field]) => field)])
    .filter(([type]) => type !== testEventType && type !== auditEventType)
  expect(rows).toEqual(Object.entries(tenantEvents).map(([type, { data }]) => [type, Object.keys(data)]))
})
