// Each attestation against a local server that plays its service, and the secrets by which they are checked.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'
import { newAddress, openProject, type Stage } from './anonymous-stage.ts'
import { type AttestationServices, firebaseProject, serviceSecret, startServices } from './attestation-services.ts'

const failed = { error: 'The attestation is invalid, has expired or was used before', code: 'attestation_failed' }
const unavailable = {
  error: 'The attestation could not be checked',
  code: 'attestation_unavailable',
  retryable: true,
}
const captchas = ['turnstile', 'hcaptcha', 'recaptcha']
const rules = { attestation: [...captchas, 'app_check'], per_address_per_hour: 20 }

let tokens = 0
const newToken = (start: string): string => `${start}-${tokens++}`

describeEachBackend('attestations', start => {
  let services: AttestationServices
  let plane: ManagementHarness
  let stage: Stage
  beforeAll(async () => {
    services = await startServices()
    plane = await start({ env: services.env })
    stage = await openProject(plane, rules)
    for (const kind of captchas) await stage.manage('PUT', '/attestation', { kind, secret: serviceSecret })
    await stage.manage('PUT', '/attestation', { kind: 'app_check', secret: firebaseProject })
  })
  afterAll(() => services?.stop())

  const show = (kind: string, token: string, place = stage, address = newAddress()) =>
    place.post({ address }, { attestation: { kind, token } })

  test.each(captchas)('%s: a genuine token is accepted once, any other never', async kind => {
    const token = newToken('good')
    services.received.length = 0
    expectOk(await show(kind, token))
    expect(services.received.map(({ form }) => form)).toEqual([{ secret: serviceSecret, response: token }])
    expectRefusal(await show(kind, token), 403, failed)
    expectRefusal(await show(kind, newToken('bad')), 403, failed)
    // The used one was not asked about again.
    expect(services.received).toHaveLength(2)
  })

  test('recaptcha: a token with a low score is not accepted', async () => {
    expectRefusal(await show('recaptcha', newToken('bot')), 403, failed)
  })

  test('app_check: a token of the Firebase project is accepted once', async () => {
    const token = await services.signAppCheck()
    expectOk(await show('app_check', token))
    expectRefusal(await show('app_check', token), 403, failed)
  })

  test.each<[string, object]>([
    ['of another project', { iss: 'https://firebaseappcheck.googleapis.com/999999999999' }],
    ['for another project', { aud: ['projects/999999999999'] }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 1 }],
    ['from an hour ahead', { iat: Math.floor(Date.now() / 1000) + 3600 }],
    ['without an app', { sub: '' }],
  ])('app_check: a token %s is not accepted', async (_what, claims) => {
    expectRefusal(await show('app_check', await services.signAppCheck(claims)), 403, failed)
  })

  test('app_check: neither is a forged one, nor what is no token', async () => {
    const [header, payload] = (await services.signAppCheck()).split('.')
    expectRefusal(await show('app_check', `${header}.${payload}.AAAA`), 403, failed)
    expectRefusal(await show('app_check', 'good'), 403, failed)
  })

  test('a service that is down costs the client nothing: the same token is accepted later', async () => {
    const [token, address] = [newToken('good'), newAddress()]
    const strict = await openProject(plane, { ...rules, per_address_per_hour: 1 })
    await strict.manage('PUT', '/attestation', { kind: 'turnstile', secret: serviceSecret })
    services.isDown = true
    expectRefusal(await show('turnstile', token, strict, address), 503, unavailable)
    services.isDown = false
    expectOk(await show('turnstile', token, strict, address))
    expect((await show('turnstile', newToken('good'), strict, address)).status).toBe(429)
  })

  test('without a secret, or with a wrong one, nobody can say whether a token is genuine', async () => {
    const bare = await openProject(plane, rules)
    expectRefusal(await show('hcaptcha', newToken('good'), bare), 503, unavailable)
    await bare.manage('PUT', '/attestation', { kind: 'hcaptcha', secret: 'wrong-secret-0123456789' })
    expectRefusal(await show('hcaptcha', newToken('good'), bare), 503, unavailable)
  })

  test('a secret is stored encrypted, never read back, and replaced or deleted at once', async () => {
    const own = await openProject(plane, rules)
    const secret = 'canary-secret-0123456789'
    expect(await own.manage('GET', '/attestation')).toEqual({ secrets: [] })
    const stored = await own.manage('PUT', '/attestation', { kind: 'turnstile', secret })
    expect(stored).toEqual({ kind: 'turnstile', set_at: expect.any(String) })
    await own.manage('PUT', '/attestation', { kind: 'turnstile', secret: serviceSecret })
    expect(await own.manage('GET', '/attestation')).toEqual({
      secrets: [{ kind: 'turnstile', set_at: expect.any(String) }],
    })
    const rows = await plane.query('select * from attestation_secrets where project_id = ?', [own.project.id])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(serviceSecret)
    expectOk(await show('turnstile', newToken('good'), own))
    const session = plane.owner.session
    const path = `/auth/v1/projects/${own.project.id}/attestation`
    expectOk(await plane.call('DELETE', `${path}/turnstile`, { session }), 204)
    expectRefusal(
      await plane.call('DELETE', `${path}/turnstile`, { session }),
      404,
      'The project has no secret for this attestation',
    )
    expectRefusal(await show('turnstile', newToken('good'), own), 503, unavailable)
    const refused = async (body: object) => await plane.call('PUT', path, { session, body })
    expectRefusal(await refused({ kind: 'proof_of_work', secret }), 400, 'proof_of_work has no secret')
    expectRefusal(
      await refused({ kind: 'app_check', secret: 'my-project' }),
      400,
      'secret of app_check must be the number of the Firebase project',
    )
    expectRefusal(await refused({ kind: 'turnstile' }), 400, 'secret is required')
  })
})
