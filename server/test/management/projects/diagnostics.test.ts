// Diagnostics over the wire, through the whole product: a page of another origin, a token on a host that is no
// project's, and what the project's owner reads of both.
import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'

describeEachBackend('diagnostics', start => {
  let plane: ManagementHarness
  let project: { id: string; slug: string }
  let token: string
  beforeAll(async () => {
    plane = await start()
    project = await plane.makeProject((await plane.makeTenant()).id)
    const { api_key: apiKey } = await plane.makeApiKey(project.id)
    const minted = await plane.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: 'alice' } })
    token = (minted.body as { access_token: string }).access_token
  })
  const list = async () => {
    const path = `/auth/v1/projects/${project.id}/diagnostics`
    const answer = await plane.call('GET', path, { session: plane.owner.session })
    expect(answer.status).toBe(200)
    return (answer.body as { data: { kind: string; detail: string; count: number; last_seen_at: string }[] }).data
  }
  const send = (host: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const sent = request(`${plane.baseUrl}/v1/models`, { headers: { host, ...headers } }, response => {
        let body = ''
        response.on('data', chunk => {
          body += String(chunk)
        })
        response.once('end', () => resolve({ status: response.statusCode, body }))
      })
      sent.once('error', reject).end()
    })

  test('is empty before anything went wrong', async () => {
    expect(await list()).toEqual([])
  })

  test('has the origin of a page that the project does not allow', async () => {
    const headers = { authorization: `Bearer ${token}`, origin: 'https://page.example.com' }
    const answer = await plane.call('GET', `/p/${project.slug}/v1/models`, { headers })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    await expect.poll(list).toEqual([
      {
        kind: 'origin_rejected',
        detail: 'https://page.example.com',
        count: 1,
        last_seen_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ])
  })

  test.each(['api.example.com', 'no-such-9999.localhost'])(
    'has the host %s, if a token of the project came to it',
    async host => {
      for (const headers of [{}, { authorization: 'Bearer none' }, { authorization: 'Basic x' }] as Record<
        string,
        string
      >[]) {
        expect((await send(host, headers)).status).toBe(404)
      }
      const answer = await send(host, { authorization: `Bearer ${token}` })
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.body)).toEqual({ error: 'not found', message: 'Unknown project host' })
      await expect
        .poll(list)
        .toContainEqual({ kind: 'unknown_host', detail: host, count: 1, last_seen_at: expect.any(String) })
    },
  )
})
