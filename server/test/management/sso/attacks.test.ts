// What an attacker may try at the redirects and with the issuer's answers: each lands on a page, none opens a session.
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { type SignOnStage, startSignOn } from './sign-on-stage.ts'

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describeEachBackend('attacks on single sign-on', start => {
  let stage: SignOnStage
  let tenant: { id: string; domain: string }

  beforeAll(async () => {
    stage = await startSignOn(start)
    tenant = await stage.makeTenant()
  })

  beforeEach(() => {
    Object.assign(stage.issuer, { lies: {}, forge: null, isDown: false })
    stage.issuer.person = { sub: 'mallory', email: `mallory@${tenant.domain}` }
  })

  describe('at the redirects', () => {
    it('takes an answer once', async () => {
      const browser = stage.openBrowser()
      const address = await browser.goToIssuer(`tenant=${tenant.id}`)
      expect(await browser.comeBack(address)).toMatchObject({ problem: null })
      expect(await browser.comeBack(address)).toMatchObject({ problem: 'sso_expired' })
    })

    it('takes it in the browser that began the sign-in only', async () => {
      const address = await stage.openBrowser().goToIssuer(`tenant=${tenant.id}`)
      const other = stage.openBrowser()
      expect(await other.comeBack(address)).toMatchObject({ problem: 'sso_expired', session: undefined })
      await other.goToIssuer(`tenant=${tenant.id}`)
      expect(await other.comeBack(address)).toMatchObject({ problem: 'sso_expired', session: undefined })
    })

    it('rejects a code of another sign-in, and of another person', async () => {
      const [victim, attacker] = [stage.openBrowser(), stage.openBrowser()]
      const stolen = new URL(await victim.goToIssuer(`tenant=${tenant.id}`))
      const own = new URL(await attacker.goToIssuer(`tenant=${tenant.id}`))
      own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
      expect(await attacker.comeBack(own.href)).toMatchObject({ problem: 'sso_refused', session: undefined })
    })

    it('rejects a code that was used before', async () => {
      const browser = stage.openBrowser()
      const first = new URL(await browser.goToIssuer(`tenant=${tenant.id}`))
      await browser.comeBack(first.href)
      browser.cookies.delete('sallyport')
      const second = new URL(await browser.goToIssuer(`tenant=${tenant.id}`))
      second.searchParams.set('code', first.searchParams.get('code') ?? '')
      expect(await browser.comeBack(second.href)).toMatchObject({ problem: 'sso_refused', session: undefined })
    })

    it('rejects a code that was given to another client, or under other terms', async () => {
      const end = async (name: string, value: string) => {
        const browser = stage.openBrowser()
        return await browser.comeBack(await browser.goToIssuer(`tenant=${tenant.id}`, way => way.set(name, value)))
      }
      const nothing = { session: undefined }
      // The issuer hands the code in; its ID token is for whom the code was given to.
      expect(await end('client_id', 'another-client')).toMatchObject({ problem: 'sso_invalid', ...nothing })
      expect(await end('nonce', 'the nonce of another sign-in')).toMatchObject({ problem: 'sso_invalid', ...nothing })
      expect(await end('code_challenge', 'of another verifier')).toMatchObject({ problem: 'sso_refused', ...nothing })
      expect(await end('state', 'of another sign-in')).toMatchObject({ problem: 'sso_expired', ...nothing })
    })

    it('rejects a code of another issuer', async () => {
      const { otherIssuer, makeTenant, openBrowser } = stage
      const other = await makeTenant({}, otherIssuer)
      otherIssuer.person = { sub: 'mallory', email: `mallory@${tenant.domain}`, email_verified: true }
      const browser = openBrowser()
      const theirs = new URL(await browser.goToIssuer(`tenant=${other.id}`))
      const mixed = new URL(await browser.goToIssuer(`tenant=${tenant.id}`))
      mixed.searchParams.set('code', theirs.searchParams.get('code') ?? '')
      expect(await browser.comeBack(mixed.href)).toMatchObject({ problem: 'sso_refused', session: undefined })
      const named = new URL(await browser.goToIssuer(`tenant=${tenant.id}`))
      named.searchParams.set('iss', otherIssuer.url)
      expect(await browser.comeBack(named.href)).toMatchObject({ problem: 'sso_invalid', session: undefined })
    })

    it('rejects parameters that occur twice, and errors of the issuer', async () => {
      const browser = stage.openBrowser()
      const twice = new URL(await browser.goToIssuer(`tenant=${tenant.id}`))
      twice.searchParams.append('code', 'another')
      expect(await browser.comeBack(twice.href)).toMatchObject({ problem: 'sso_invalid' })
      const refused = new URL(await browser.goToIssuer(`tenant=${tenant.id}`))
      refused.searchParams.delete('code')
      refused.searchParams.set('error', 'access_denied')
      expect(await browser.comeBack(refused.href)).toMatchObject({ problem: 'sso_refused', session: undefined })
    })

    it.each([
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      '/app\r\nset-cookie: a=b',
      '/ /evil.example',
      'app',
      `/${'a'.repeat(3000)}`,
    ])('goes nowhere else afterwards: %j', async returnTo => {
      const browser = stage.openBrowser()
      const ended = await browser.signOn(`tenant=${tenant.id}&return_to=${encodeURIComponent(returnTo)}`)
      expect(ended).toMatchObject({ path: '/app/', problem: null })
    })

    it('knows only tenants with single sign-on', async () => {
      const { id } = await stage.plane.makeTenant()
      for (const query of [`tenant=${id}`, 'tenant=nonsense', 'email=a@unknown.example', '', 'email=&tenant=']) {
        expect(await stage.openBrowser().signOn(query)).toMatchObject({ problem: 'sso_not_configured' })
      }
    })
  })

  describe('with ID tokens', () => {
    const problem = async () => (await stage.openBrowser().signOn(`tenant=${tenant.id}`)).problem

    it('rejects another nonce, audience, issuer or time', async () => {
      const lies = [
        { nonce: 'another' },
        { nonce: undefined },
        { aud: 'another-client' },
        { aud: ['sallyport', 'another-client'] },
        { iss: stage.otherIssuer.url },
        { exp: 1_700_000_000 },
        { sub: '' },
        { sub: 'x'.repeat(300) },
        { sub: 7 },
      ]
      for (const lie of lies) {
        stage.issuer.lies = lie
        expect([lie, await problem()]).toEqual([lie, 'sso_invalid'])
      }
      stage.issuer.lies = {}
      expect(await problem()).toBe(null)
    })

    it('rejects tokens without a signature by a key of the issuer', async () => {
      const { issuer } = stage
      issuer.forge = claims => `${base64({ alg: 'none' })}.${base64(claims)}.`
      expect(await problem()).toBe('sso_invalid')
      // The public key, which everybody has, as the secret of a MAC.
      issuer.forge = async claims => {
        const spki = Buffer.from(await crypto.subtle.exportKey('spki', issuer.publicKey))
        return await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(spki)
      }
      expect(await problem()).toBe('sso_invalid')
      issuer.forge = async claims =>
        await new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from(issuer.client.client_secret.padEnd(32)))
      expect(await problem()).toBe('sso_invalid')
      const { privateKey } = await generateKeyPair('RS256')
      for (const kid of ['one', 'unknown']) {
        issuer.forge = async claims =>
          await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
        expect(await problem()).toBe('sso_invalid')
      }
      issuer.forge = () => 'no token'
      expect(await problem()).toBe('sso_invalid')
    })

    it('rejects tokens that bring their own key, or that another issuer has signed', async () => {
      const { issuer, otherIssuer } = stage
      const { privateKey, publicKey } = await generateKeyPair('RS256')
      const jwk = await exportJWK(publicKey)
      const own = { jwk, jku: `${otherIssuer.url}/keys` }
      for (const header of [own, { ...own, kid: 'one' }]) {
        issuer.forge = claims => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey)
        expect(await problem()).toBe('sso_invalid')
      }
      // Under the same key id.
      issuer.forge = claims => otherIssuer.sign(claims)
      expect(await problem()).toBe('sso_invalid')
      const elliptic = await generateKeyPair('ES256')
      issuer.forge = claims =>
        new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(elliptic.privateKey)
      expect(await problem()).toBe('sso_invalid')
      issuer.forge = async claims => {
        const [header, , signature] = (await issuer.sign(claims)).split('.')
        return `${header}.${base64({ ...claims, sub: 'somebody else' })}.${signature}`
      }
      expect(await problem()).toBe('sso_invalid')
      issuer.forge = claims => issuer.sign(claims)
      expect(await problem()).toBe(null)
    })

    it('rejects the ID token of an earlier sign-in', async () => {
      const { issuer } = stage
      let earlier = ''
      issuer.forge = async claims => {
        earlier ||= await issuer.sign(claims)
        return earlier
      }
      expect([await problem(), await problem()]).toEqual([null, 'sso_invalid'])
    })
  })

  it('says so if the issuer is down, at the start and at the end', async () => {
    const { issuer, openBrowser } = stage
    const browser = openBrowser()
    const address = await browser.goToIssuer(`tenant=${tenant.id}`)
    issuer.isDown = true
    expect(await browser.signOn(`tenant=${tenant.id}`)).toMatchObject({ problem: 'sso_issuer_unavailable' })
    expect(await browser.comeBack(address)).toMatchObject({ problem: 'sso_issuer_unavailable', session: undefined })
  })

  it('records failures of people whom the issuer vouches for in the tenant’s chain, and strangers’ elsewhere', async () => {
    const { plane, issuer, makeTenant, openBrowser } = stage
    const { id } = await makeTenant()
    await openBrowser().comeBack('http://localhost/auth/v1/sso/callback?code=a&state=b')
    issuer.person = { sub: 'oscar', email: 'oscar@elsewhere.example' }
    await openBrowser().signOn(`tenant=${id}`)
    const { body } = await plane.call('GET', `/auth/v1/tenants/${id}/audit?outcome=refused`, {
      session: plane.owner.session,
    })
    const { data } = body as { data: object[] }
    expect(data).toMatchObject([
      { action: 'session.create', reason: 'sso_domain', actor: { name: 'oscar@elsewhere.example' } },
    ])
  })
})
