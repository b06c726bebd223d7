// Sign-in through an issuer that others wrote and that is certified: with its own pages, keys and checks.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk } from '../requests.ts'
import { currentUser, openBrowser } from './sign-on-stage.ts'

const client = { client_id: 'sallyport', client_secret: 'a long secret of the client' }

describeEachBackend('sign-in through a certified issuer', start => {
  let plane: ManagementHarness
  let issuer: string
  let answer: RequestListener = () => undefined
  const server = createServer((request, response) => answer(request, response))
  afterAll(() => server.close())

  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    issuer = `http://127.0.0.1:${port}`
    plane = await start({ own: true, env: { OUTBOUND_ALLOW: `127.0.0.1:${port}` } })
    answer = new Provider(issuer, {
      clients: [
        {
          ...client,
          redirect_uris: [`http://localhost:${plane.product.port}/auth/v1/sso/callback`],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      cookies: { keys: ['a key of the test'] },
      findAccount: async (_context: unknown, id: string) => ({
        accountId: id,
        claims: async () => ({ sub: id, email: `${id}@certified.example`, email_verified: true }),
      }),
      issueRefreshToken: async () => true,
      pkce: { required: () => true },
    }).callback()
  })

  /** Fills in the issuer's pages as a person would. */
  async function signInAt(address: string, login: string): Promise<string> {
    const cookies = new Map<string, string>()
    let next = { url: address, form: '' }
    for (let step = 0; step < 20; step++) {
      const response = await fetch(next.url, {
        redirect: 'manual',
        headers: {
          cookie: [...cookies].map(pair => pair.join('=')).join('; '),
          ...(next.form === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(next.form === '' ? {} : { method: 'POST', body: next.form }),
      })
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        cookies.set(name, value)
      }
      const location = response.headers.get('location')
      const page = await response.text()
      if (location !== null && !location.startsWith(issuer) && !location.startsWith('/')) return location
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (location === null && prompt === undefined) throw new Error(`${response.status} ${page}`)
      next =
        location === null
          ? { url: next.url, form: `prompt=${prompt}&login=${login}&password=any` }
          : { url: new URL(location, issuer).href, form: '' }
    }
    throw new Error('the issuer asks too much')
  }

  it('signs a person in, knows them again, and renews the refresh token', async () => {
    const { id } = await plane.makeTenant()
    const session = plane.owner.session
    const path = `/auth/v1/tenants/${id}/sso`
    const domains = ['certified.example']
    const body = { issuer, ...client, domains, default_role: 'member' }
    expectOk(await plane.call('PUT', path, { session, body }))
    expect(expectOk(await plane.call('POST', `${path}/test`, { session }))).toMatchObject({ ok: true })

    const browser = openBrowser(plane)
    const begun = await browser.call('GET', '/auth/v1/sso/start?email=ann@certified.example')
    const back = await signInAt(begun.headers.get('location') ?? '', 'ann')
    expect(await browser.comeBack(back)).toMatchObject({ path: '/app/', problem: null })
    const user = await currentUser(browser)
    expect(user).toMatchObject({ email: 'ann@certified.example', tenants: [{ id, role: 'member' }] })

    await plane.query('update sessions set refresh_at = 1 where user_id = ?', [user.id])
    const refreshAt = async () => {
      const rows = await plane.query<{ refresh_at: number }>('select refresh_at from sessions where user_id = ?', [
        user.id,
      ])
      return Number(rows[0]?.refresh_at ?? 0)
    }
    await expect.poll(refreshAt, { timeout: 60_000 }).toBeGreaterThan(Date.now() + 59 * 60_000)
    await currentUser(browser)
  })
})
