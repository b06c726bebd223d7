// Sessions that end with the identity: each hour the issuer is asked whether a person may still sign in.
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { expectOk } from '../requests.ts'
import { type Browser, currentUser, type SignOnStage, startSignOn } from './sign-on-stage.ts'

describeEachBackend('re-check of single sign-on', start => {
  let stage: SignOnStage
  let tenant: { id: string; domain: string }

  beforeAll(async () => {
    stage = await startSignOn(start)
    tenant = await stage.makeTenant()
  })

  beforeEach(() => {
    stage.issuer.isDown = false
    stage.issuer.lies = {}
  })

  interface Kept {
    refresh_token: string
    refresh_at: number
  }

  async function signOn(sub: string): Promise<{ browser: Browser; userId: string }> {
    const browser = stage.openBrowser()
    stage.issuer.person = { sub, email: `${sub}@${tenant.domain}` }
    await browser.signOn(`tenant=${tenant.id}`)
    return { browser, userId: (await currentUser(browser)).id }
  }

  const kept = async (userId: string): Promise<Kept | undefined> => {
    const text = 'select refresh_token, refresh_at from sessions where user_id = ?'
    const [row] = await stage.plane.query<Kept>(text, [userId])
    return row && { refresh_token: row.refresh_token, refresh_at: Number(row.refresh_at) }
  }

  const letHourPass = (userId: string) =>
    stage.plane.query('update sessions set refresh_at = ? where user_id = ?', [Date.now() - 1, userId])

  it('goes on while the issuer says so, with the next refresh token', async () => {
    const { browser, userId } = await signOn('zoe')
    const before = await kept(userId)
    expect(before?.refresh_token).toMatch(/^v1\./)
    expect(before?.refresh_at).toBeGreaterThan(Date.now() + 59 * 60_000)
    await letHourPass(userId)
    await expect.poll(async () => (await kept(userId))?.refresh_at ?? 0).toBeGreaterThan(Date.now() + 59 * 60_000)
    expect((await kept(userId))?.refresh_token).not.toBe(before?.refresh_token)
    await currentUser(browser)
    // The rotated one works too.
    await letHourPass(userId)
    await expect.poll(async () => (await kept(userId))?.refresh_at ?? 0).toBeGreaterThan(Date.now() + 59 * 60_000)
    await currentUser(browser)
  })

  it('ends once the issuer rejects the refresh token, and says so in the audit', async () => {
    const { plane, issuer } = stage
    const { browser, userId } = await signOn('adam')
    issuer.revoked.add('adam')
    await letHourPass(userId)
    await expect.poll(async () => await kept(userId)).toBe(undefined)
    expect((await browser.call('GET', '/auth/v1/sessions/current')).status).toBe(401)
    const { data } = expectOk<{ data: object[] }>(
      await plane.call('GET', `/auth/v1/tenants/${tenant.id}/audit?action=session.end`, {
        session: plane.owner.session,
      }),
    )
    expect(data).toMatchObject([{ actor: { kind: 'system' }, target: { type: 'user', id: userId } }])
  })

  it('ends once the refresh token means somebody else', async () => {
    const { issuer } = stage
    const { userId } = await signOn('bella')
    issuer.lies = { sub: 'somebody else' }
    await letHourPass(userId)
    await expect.poll(async () => await kept(userId)).toBe(undefined)
  })

  it('goes on while the issuer is down, and asks again some minutes later', async () => {
    const { issuer } = stage
    const { browser, userId } = await signOn('cyril')
    issuer.isDown = true
    await letHourPass(userId)
    await expect.poll(async () => (await kept(userId))?.refresh_at ?? 0).toBeGreaterThan(Date.now() + 4 * 60_000)
    expect((await kept(userId))?.refresh_at).toBeLessThan(Date.now() + 6 * 60_000)
    await currentUser(browser)
  })
})
