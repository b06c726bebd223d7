// A receiver of webhooks from the documentation, in whichever language: it accepts what the product sends, and rejects
// the same when it was changed, is replayed later, or is not signed.
import { expect, onTestFinished } from 'vitest'
import { startManagement } from '../support/management-harness.ts'
import { findFreePort, type ServerProcess } from '../support/server-process.ts'

/**
 * The receiver reads PORT and WEBHOOK_SECRET, prints the type of each event, and the headers of each request as JSON on
 * stderr. Returns the body of the delivery.
 */
export async function expectVerifies(start: (env: Record<string, string>) => Promise<ServerProcess>): Promise<string> {
  const plane = await startManagement('sqlite', { env: { OUTBOUND_ALLOW: '127.0.0.1' } })
  onTestFinished(() => plane.stop())
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/`
  const { session } = plane.owner
  const tenant = await plane.makeTenant()
  const created = await plane.call('POST', `/auth/v1/tenants/${tenant.id}/webhooks`, { session, body: { url } })
  const { id, secret } = created.body as { id: string; secret: string }
  const receiver = await start({ PORT: String(port), WEBHOOK_SECRET: secret })
  onTestFinished(async () => void (await receiver.end('SIGTERM')))
  const statusOf = (response: Response) => response.status
  const post = (headers: Record<string, string>, body: string) =>
    fetch(url, { method: 'POST', headers, body }).then(statusOf, () => 0)
  await expect.poll(() => post({}, '')).toBe(401)

  const project = await plane.makeProject(tenant.id)
  await expect.poll(() => receiver.stdout()).toMatch(new RegExp(`project_created .*${project.slug}`))
  const path = `/auth/v1/tenants/${tenant.id}/webhooks/${id}/deliveries`
  await expect
    .poll(async () => (await plane.call('GET', path, { session })).body)
    .toMatchObject({ data: [{ status: 'delivered', last_status: 204 }] })
  const rows = await plane.query<{ body: string }>('select body from webhook_deliveries')
  const body = rows.find(row => row.body.includes(project.slug))?.body ?? ''
  const arrived = readHeaders(receiver).find(headers => headers['webhook-id'] !== undefined)
  const send = (changes: Record<string, string>, sent = body) => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    return post({ ...Object.fromEntries(names.map(name => [name, arrived?.[name] ?? ''])), ...changes }, sent)
  }
  const signature = arrived?.['webhook-signature'] ?? ''
  expect(await send({})).toBe(204)
  expect(await send({ 'webhook-signature': `v1,AAAA ${signature}` })).toBe(204)
  expect(await send({}, `${body} `)).toBe(401)
  expect(await send({ 'webhook-id': 'another' })).toBe(401)
  expect(await send({ 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) })).toBe(401)
  expect(await send({ 'webhook-signature': 'v1,AAAA' })).toBe(401)
  expect(await send({ 'webhook-signature': signature.replace('v1,', 'v2,') })).toBe(401)
  return body
}

function readHeaders(receiver: ServerProcess): Record<string, string>[] {
  const lines = receiver.stderr().split('\n')
  return lines
    .filter(line => line.startsWith('{'))
    .map(line => {
      const headers = JSON.parse(line) as Record<string, string>
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    })
}
