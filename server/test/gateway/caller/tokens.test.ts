// Tests credentials through the whole gateway: a sample of the compiled attacks, keys from JWKS_URL, external
// providers, and the isolation of projects.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { IdentityProvider } from '../../../src/domain/settings/live-config.ts'
import {
  encode,
  externalAudience,
  externalClaims,
  externalIssuer,
  keySetText,
  makeKey,
  makeToken,
  ownClaims,
  ownHeader,
  type TestKey,
} from '../../crypto/token-kit.ts'
import { openStage, ownKey, type Stage, type TestProject } from '../gateway-stage.ts'

const external = makeKey('idp-1')
const jwksUrl = 'https://idp.example.net/jwks'
const provider: IdentityProvider = {
  issuer: externalIssuer,
  jwks_url: jwksUrl,
  audience: externalAudience,
  user_id_claim: 'sub',
  tier_claim: 'plan',
}
const keySetBody = (key: TestKey | Record<string, unknown>) =>
  JSON.stringify({ jwks_url: jwksUrl, ...JSON.parse(keySetText(key)) })

/** A token that is valid by the real clock. */
function externalToken(more: Record<string, unknown> = {}, key = external): string {
  const iat = Math.floor(Date.now() / 1000)
  return makeToken(key, { alg: 'RS256', kid: key.kid }, externalClaims({ iat, exp: iat + 3600, ...more }))
}

const ask = (stage: Stage, project: TestProject, token: string) => stage.call(project, 'GET', '/v1/threads', { token })

describe('compiled attacks, by HTTP', () => {
  const evil = makeKey('k1')
  const now = Math.floor(Date.now() / 1000)
  const good = (project: TestProject, more: Record<string, unknown> = {}) =>
    ownClaims({ tid: project.tenantId, pid: project.projectId, iat: now, nbf: now, exp: now + 3600, ...more })
  const attacks: Record<string, (project: TestProject) => string> = {
    'alg="none" empty sig': p => `${encode(ownHeader(ownKey, { alg: 'none' }))}.${encode(good(p))}.`,
    'foreign key same kid': p => makeToken(evil, ownHeader(evil), good(p)),
    'jwk header injection': p => makeToken(evil, ownHeader(evil, { jwk: evil.jwk }), good(p)),
    'kid missing, own key': p => makeToken(ownKey, { alg: 'RS256', typ: 'JWT' }, good(p)),
    'kid="constructor" evil-signed': p => makeToken(evil, ownHeader(evil, { kid: 'constructor' }), good(p)),
    'padding = on sig': p => `${makeToken(ownKey, ownHeader(ownKey), good(p))}=`,
    '4 segments': p => `${makeToken(ownKey, ownHeader(ownKey), good(p))}.x`,
    'exp far future (10y)': p => makeToken(ownKey, ownHeader(ownKey), good(p, { exp: now + 315_360_000 })),
    'iat future +1h': p => makeToken(ownKey, ownHeader(ownKey), good(p, { iat: now + 3600, exp: now + 7200 })),
    'typ=dashboard-session+jwt': p => makeToken(ownKey, ownHeader(ownKey, { typ: 'dashboard-session+jwt' }), good(p)),
    'own token with role not in enum': p => makeToken(ownKey, ownHeader(ownKey), good(p, { role: 'owner' })),
    'foreign audience': p => makeToken(ownKey, ownHeader(ownKey), good(p, { aud: 'another' })),
    'foreign issuer': p => makeToken(ownKey, ownHeader(ownKey), good(p, { iss: 'https://another.example' })),
    '9 KiB token': p => makeToken(ownKey, ownHeader(ownKey), good(p, { padding: 'x'.repeat(9_000) })),
  }
  test('refuses each with 401 and the same words, and takes the good one', async () => {
    const stage = await openStage()
    const project = await stage.makeProject()
    for (const [name, build] of Object.entries(attacks)) {
      const answer = await ask(stage, project, build(project))
      expect(answer, name).toMatchObject({ status: 401, json: { error: 'unauthorized', message: 'Invalid token' } })
    }
    expect((await ask(stage, project, makeToken(ownKey, ownHeader(ownKey), good(project)))).status).toBe(200)
    expect(stage.calls).toHaveLength(1)
  })
})

describe.each([
  ['in the process', null],
  ['on Redis', inject('redisUrl')],
])('external tokens, with the store %s', (_name, redisUrl) => {
  async function open(live: Partial<{ identity_provider: IdentityProvider | null }> = { identity_provider: provider }) {
    const stage = await openStage({ redisUrl })
    const project = await stage.makeProject({ rpm_limit: 1_000 }, live)
    return { stage, project }
  }

  test('are taken with the role user, whatever they claim; the tier by its claim alone', async () => {
    const { stage, project } = await open()
    await stage.kv.putKeySet(project.projectId, { revision: 1, body: keySetBody(external) })
    const claims = { tid: 'x', pid: 'y', role: 'admin', scp: ['all'], tier: 'gold', plan: 'silver' }
    expect((await ask(stage, project, externalToken(claims))).status).toBe(200)
    expect(stage.calls[0]?.verified).toMatchObject({
      tenantId: project.tenantId,
      projectId: project.projectId,
      userId: 'auth0|42',
      role: 'user',
      tier: 'silver',
      scopes: [],
      authProvider: 'external',
    })
  })

  test('count only on the project whose provider it is', async () => {
    const { stage, project } = await open()
    await stage.kv.putKeySet(project.projectId, { revision: 1, body: keySetBody(external) })
    const other = await stage.makeProject()
    const otherIdp = await stage.makeProject({}, { identity_provider: provider })
    await stage.kv.putKeySet(otherIdp.projectId, { revision: 1, body: keySetBody(makeKey('idp-2')) })
    expect((await ask(stage, project, externalToken())).status).toBe(200)
    for (const host of [other, otherIdp]) expect((await ask(stage, host, externalToken())).status).toBe(401)
  })

  test.each(['', 'admin', 'ＡＤＭＩＮ', 'system', 'svc:x', 'a\r\nb', 'x'.repeat(4_096)])(
    'the subject %j: 401',
    async sub => {
      const { stage, project } = await open()
      await stage.kv.putKeySet(project.projectId, { revision: 1, body: keySetBody(external) })
      expect((await ask(stage, project, externalToken({ sub }))).status).toBe(401)
    },
  )

  test('a key set of another address does not count, nor one with our kid', async () => {
    const { stage, project } = await open()
    const elsewhere = JSON.stringify({ jwks_url: 'https://old.example/jwks', ...JSON.parse(keySetText(external)) })
    for (const body of [elsewhere, keySetBody({ ...external.jwk, kid: ownKey.kid }), '{', '']) {
      const project_ = await stage.makeProject({}, { identity_provider: provider })
      await stage.kv.putKeySet(project_.projectId, { revision: 1, body })
      // Without a valid key set the gateway cannot judge the token.
      expect((await ask(stage, project_, externalToken())).status).toBe(503)
      expect((await ask(stage, project_, stage.tokenFor(project_))).status).toBe(200)
    }
    // Only the body that is not JSON is logged.
    expect(damagesOf(stage)).toHaveLength(1)
    expect((await ask(stage, project, externalToken())).status).toBe(503)
  })

  test('a rotated, an emptied and a removed provider are heeded at once', async () => {
    const { stage, project } = await open()
    const next = makeKey('idp-next')
    const status = async (token: string) => (await ask(stage, project, token)).status
    await stage.kv.putKeySet(project.projectId, { revision: 1, body: keySetBody(external) })
    const [oldToken, newToken] = [externalToken(), externalToken({}, next)]
    expect([await status(oldToken), await status(newToken)]).toEqual([200, 401])
    await stage.kv.putKeySet(project.projectId, { revision: 2, body: keySetBody(next) })
    await expect.poll(() => status(oldToken)).toBe(401)
    expect(await status(newToken)).toBe(200)
    await stage.deploy(project, { live: { identity_provider: null } })
    await expect.poll(() => status(newToken)).toBe(401)
  })

  const inDatabase = ({ sql }: Stage['database'], projectId: string) =>
    sql
      .insertInto('identity_providers')
      .values({
        project_id: projectId,
        revision: 1,
        ...provider,
        key_set: keySetText(external),
        last_synced_at: 1,
        last_error: null,
        created_at: 1,
        updated_at: 1,
      })
      .execute()

  test('the database is asked where the store lacks the set', async () => {
    const { stage, project } = await open()
    await inDatabase(stage.database, project.projectId)
    expect((await ask(stage, project, externalToken())).status).toBe(200)
    expect(damagesOf(stage)).toEqual([])
  })

  test.each([
    ['{', 'not_a_json_object'],
    ['[]', 'not_a_json_object'],
    [keySetText(external), 'not_a_key_set'],
    [JSON.stringify({ jwks_url: provider.jwks_url }), 'not_a_key_set'],
    [keySetBody({ ...external.jwk, n: 'AA' }), 'weak_key'],
  ])('and where it holds the set damaged: %j', async (body, code) => {
    const { stage, project } = await open()
    await inDatabase(stage.database, project.projectId)
    await stage.kv.putKeySet(project.projectId, { revision: 0, body })
    for (let i = 0; i < 2; i++) expect((await ask(stage, project, externalToken())).status).toBe(200)
    expect(damagesOf(stage)).toEqual([{ reason: 'key-set', project_id: project.projectId, code }])
  })
})

const damagesOf = ({ lines }: Stage) =>
  lines.filter(({ event }) => event === 'document in the store is corrupt').map(({ fields }) => fields)

describe('keys from an address', () => {
  async function publish(answer: () => { status: number; text: string }) {
    let fetches = 0
    const server = createServer((_request, response) => {
      fetches += 1
      const { status, text } = answer()
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>(resolve => void server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    const ownKeys = { kind: 'address', url: `http://127.0.0.1:${port}/jwks`, cacheTtlSeconds: 300 } as const
    const stage = await openStage({ settings: { ownKeys } })
    return { stage, project: await stage.makeProject({ rpm_limit: 10_000 }), fetches: () => fetches }
  }

  test('never fetched: 503, then good as soon as it is there', async () => {
    let isUp = false
    const { stage, project } = await publish(() => ({ status: isUp ? 200 : 500, text: keySetText(ownKey) }))
    const answer = await ask(stage, project, stage.tokenFor(project))
    expect(answer).toMatchObject({ status: 503, json: { error: 'service unavailable' } })
    isUp = true
    await expect.poll(async () => (await ask(stage, project, stage.tokenFor(project))).status).toBe(200)
  })

  test('a storm of unknown kids: two fetches at most, and good tokens go through', async () => {
    const { stage, project, fetches } = await publish(() => ({ status: 200, text: keySetText(ownKey) }))
    const count = inject('prove') ? 20_000 : 1_000
    const tail = `${encode({})}.${Buffer.alloc(256).toString('base64url')}`
    const storm = async (lane: number) => {
      for (let i = 0; i < count / 20; i++) {
        const header = encode({ alg: 'RS256', typ: 'JWT', kid: `unknown-${lane}-${i}` })
        expect((await ask(stage, project, `${header}.${tail}`)).status).toBe(401)
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, lane) => storm(lane)))
    expect(fetches()).toBeLessThanOrEqual(2)
    expect((await ask(stage, project, stage.tokenFor(project))).status).toBe(200)
  })
})
