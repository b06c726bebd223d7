// What a gateway notes of requests that fail at the door: which ones, under which words, and how often the log has it.
import { describe, expect, inject, test } from 'vitest'
import {
  externalAudience,
  externalClaims,
  externalIssuer,
  keySetText,
  makeKey,
  makeToken,
  ownClaims,
  ownHeader,
} from '../crypto/token-kit.ts'
import { openStage, ownKey, type Stage, type TestProject } from './gateway-stage.ts'

const origin = 'https://page.example.com'

describe.each(['process', 'redis'] as const)('with the store %s', kind => {
  const open = () => openStage({ redisUrl: kind === 'redis' ? inject('redisUrl') : null })
  const found = async (stage: Stage, { projectId }: TestProject) => {
    const all = await stage.kv.findDiagnostics(projectId)
    return all.map(({ kind, detail, count }) => [kind, detail, count])
  }
  const events = (stage: Stage) =>
    stage.lines.filter(line => line.fields?.project_id !== undefined).map(line => line.event)

  test('an origin that is not allowed, by preflight and by request; others are not noted', async () => {
    const stage = await open()
    const project = await stage.makeProject({ cors_origins: ['https://app.example.com'] })
    const token = stage.tokenFor(project)
    for (const allowed of [undefined, 'https://app.example.com']) {
      const headers = allowed === undefined ? {} : { origin: allowed }
      expect(await stage.call(project, 'GET', '/v1/models', { token, headers })).toMatchObject({ status: 200 })
    }
    const preflight = { origin, 'access-control-request-method': 'POST' }
    await stage.call(project, 'OPTIONS', '/v1/models', { headers: preflight })
    await stage.call(project, 'GET', '/v1/models', { token, headers: { origin } })
    await expect.poll(() => found(stage, project)).toEqual([['origin_rejected', origin, 2]])
    // One line a minute, whatever was sent.
    expect(events(stage)).toEqual(['origin of a browser rejected'])
    expect(stage.lines.find(line => line.fields?.project_id !== undefined)?.fields).toMatchObject({ origin })
    const other = await stage.makeProject()
    await stage.call(other, 'OPTIONS', '/v1/models', { headers: preflight })
    expect(events(stage)).toHaveLength(2)
  })

  test('a token that is refused for its issuer, audience or key; no other fault', async () => {
    const stage = await open()
    const idp = makeKey('idp-1')
    const jwksUrl = 'https://idp.example.net/jwks'
    const provider = { issuer: externalIssuer, jwks_url: jwksUrl, audience: externalAudience, user_id_claim: 'sub' }
    const project = await stage.makeProject({}, { identity_provider: { ...provider, tier_claim: null } })
    const body = JSON.stringify({ jwks_url: jwksUrl, ...JSON.parse(keySetText(idp)) })
    await stage.kv.putKeySet(project.projectId, { revision: 1, body })
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, exp: now + 3600 }
    const external = (claims: object, key = idp) =>
      makeToken(key, { alg: 'RS256', kid: key.kid }, externalClaims({ ...times, ...claims }))
    const own = (claims: object) =>
      makeToken(
        ownKey,
        ownHeader(ownKey),
        ownClaims({ ...times, nbf: now, tid: project.tenantId, pid: project.projectId, ...claims }),
      )
    const tokens = [
      external({ iss: 'https://other.example.net' }),
      external({ aud: ['one', 'two'] }),
      external({}, makeKey('idp-2')),
      own({ iss: 'https://old.example.com' }),
      own({ exp: now - 5, iat: now - 50, nbf: now - 50 }),
      own({ role: 'nobody' }),
      makeToken(makeKey('k1'), ownHeader(ownKey), ownClaims({ ...times, nbf: now })),
      'no token at all',
    ]
    for (const token of tokens) {
      expect(await stage.call(project, 'GET', '/v1/models', { token })).toMatchObject({ status: 401 })
    }
    const noted = [
      ['token_issuer_rejected', 'https://other.example.net', 1],
      ['token_audience_rejected', '["one","two"]', 1],
      ['token_key_rejected', 'idp-2', 1],
      ['token_issuer_rejected', 'https://old.example.com', 1],
    ]
    await expect.poll(async () => (await found(stage, project)).toSorted()).toEqual(noted.toSorted())
  })

  test('what is long is cut, and a flood is counted without being told apart for ever', async () => {
    const stage = await open()
    const project = await stage.makeProject()
    const ask = (from: string) => stage.call(project, 'GET', '/v1/models', { headers: { origin: from } })
    await ask(`https://${'x'.repeat(500)}.example.com`)
    await Promise.all(Array.from({ length: 100 }, (_, i) => ask(`https://a${i}.example.com`)))
    const total = async () => (await found(stage, project)).reduce((sum, [, , count]) => sum + Number(count), 0)
    await expect.poll(total).toBe(101)
    const details = (await found(stage, project)).map(([, detail]) => String(detail))
    expect(details).toHaveLength(51)
    expect(Math.max(...details.map(detail => detail.length))).toBe(200)
  })
})
