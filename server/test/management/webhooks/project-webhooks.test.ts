// Webhooks of one project: they get its events alone, and end with it. With a secret of one's own.
import { createHmac } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import type { UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { expectOk, expectRefusal, unknownId } from '../requests.ts'

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`

function signatureBy(secret: string, { headers, body }: UpstreamRequest): string {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

describeEachBackend('webhooks of a project', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })
  beforeEach(() => {
    plane.upstream.reset()
    plane.upstream.on('*', { status: 204, body: '' })
  })
  const call = (method: string, path: string, body?: object, more: object = { session: plane.owner.session }) =>
    plane.call(method, path, { ...more, ...(body === undefined ? {} : { body }) })
  async function makeStage() {
    const { id: tenantId } = await plane.makeTenant()
    const [first, second] = [await plane.makeProject(tenantId), await plane.makeProject(tenantId)]
    const path = `/auth/v1/tenants/${tenantId}/webhooks`
    const url = `${plane.upstream.url}/of/${first.id}`
    const requests = () => plane.upstream.requests.filter(request => request.path === `/of/${first.id}`)
    const bodies = () => requests().map(({ body }) => JSON.parse(body) as { type: string; project_id: string })
    return { tenantId, first, second, path, url, requests, bodies }
  }

  test('get the events of their project alone, and those of the audit if they name it', async () => {
    const { first, second, path, url, bodies } = await makeStage()
    const types = ['settings_deployed', 'audit']
    const made = expectOk(await call('POST', path, { url, types, project_id: first.id }), 201)
    expect(made).toMatchObject({ project_id: first.id })
    for (const { id } of [second, first]) expectOk(await call('POST', `/auth/v1/projects/${id}/settings/deploy`))
    await expect
      .poll(() => bodies().map(({ type, project_id }) => `${type} ${project_id === first.id}`))
      .toEqual(['settings_deployed true', 'audit true'])
    expect(expectOk<object[]>(await call('GET', path))).toMatchObject([{ project_id: first.id }])
  })

  test('sign with the secret that they were given, and only with one of the form', async () => {
    const { first, path, url, requests } = await makeStage()
    for (const secret of ['whsec_', 'whsec_YQ==', secretOf(1).slice(6), `${secretOf(1)} `, 7]) {
      const refused = await call('POST', path, { url, project_id: first.id, secret })
      expectRefusal(refused, 400, 'secret must be whsec_ and the base64 of 24-64 bytes')
    }
    const body = { url, project_id: first.id, secret: secretOf(1) }
    expect(expectOk(await call('POST', path, body), 201)).toMatchObject({ secret: secretOf(1) })
    expectRefusal(await call('POST', path, body), 409, 'The project has a webhook with this URL already')
    expectOk(await call('POST', `/auth/v1/projects/${first.id}/settings/deploy`))
    await expect.poll(() => requests().length).toBe(1)
    const [request] = requests()
    if (request === undefined) throw new Error('nothing was sent')
    expect(request.headers['webhook-signature']).toBe(signatureBy(secretOf(1), request))
  })

  test('are of a project of the tenant, and end with it', async () => {
    const { tenantId, first, path, url } = await makeStage()
    const foreign = await plane.makeProject((await plane.makeTenant()).id)
    for (const project_id of [foreign.id, unknownId]) {
      expectRefusal(await call('POST', path, { url, project_id }), 404, 'Project not found')
    }
    expectOk(await call('POST', path, { url, project_id: first.id }), 201)
    expectOk(await call('POST', path, { url }), 201)
    expectOk(await call('POST', `/auth/v1/projects/${first.id}/suspend`))
    expectOk(await call('DELETE', `/auth/v1/projects/${first.id}`, { confirm: first.slug }), 204)
    expect(expectOk<object[]>(await call('GET', path))).toMatchObject([{ project_id: null }])
    const left = await plane.query('select distinct webhook_id from webhook_deliveries where tenant_id = ?', [tenantId])
    expect(left.length).toBeLessThan(2)
  })

  test('are not changed by a browser while a file manages their project', async () => {
    const { first, path, url } = await makeStage()
    const { id } = expectOk<{ id: string }>(await call('POST', path, { url, project_id: first.id }), 201)
    expectOk(await call('PUT', `/auth/v1/projects/${first.id}/draft`, { managed_by: 'file' }))
    const browser = { headers: { cookie: `sallyport=${plane.owner.session}`, 'x-sallyport': '1' } }
    const refused = [
      await call('POST', path, { url: `${url}/2`, project_id: first.id }, browser),
      await call('POST', `${path}/${id}/rotate`, undefined, browser),
      await call('DELETE', `${path}/${id}`, undefined, browser),
    ]
    for (const answer of refused) expect(answer).toMatchObject({ status: 409, body: { code: 'managed_by_file' } })
    expectOk(await call('POST', path, { url }, browser), 201)
    expectOk(await call('POST', `${path}/${id}/rotate`))
    expectOk(await call('DELETE', `${path}/${id}`), 204)
  })
})
