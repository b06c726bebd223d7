// Tests the setting `unknown_tier` at the gateway: tokens of both kinds whose tier the project does not have.
import { describe, expect, inject, test } from 'vitest'
import {
  externalAudience,
  externalClaims,
  externalIssuer,
  keySetText,
  makeKey,
  makeToken,
} from '../crypto/token-kit.ts'
import { openStage } from './gateway-stage.ts'

const gold = { name: 'gold', overrides: { system_prompt: 'Be golden.' } }
const message = 'The project has no tier "gold"'
const refused = { status: 403, json: { error: { message, code: 'unknown_tier' } } }

describe.each(['process', 'redis'] as const)('with the store %s', kind => {
  const open = (more: Parameters<typeof openStage>[0] = {}) =>
    openStage({ redisUrl: kind === 'redis' ? inject('redisUrl') : null, ...more })

  test('a token of ours is rejected before its body is read, and not charged', async () => {
    const stage = await open()
    const project = await stage.makeProject({ unknown_tier: 'reject' })
    const token = stage.tokenFor(project, { tier: 'gold' })
    for (const body of [undefined, { messages: 5 }]) {
      expect(await stage.complete(project, { token, ...(body && { body }) })).toMatchObject(refused)
    }
    expect(await stage.call(project, 'GET', '/v1/models', { token })).toMatchObject(refused)
    expect(stage.calls).toEqual([])
    const { headers } = await stage.complete(project)
    expect(headers['x-ratelimit-remaining-requests']).toBe('59')
    const noted = async () =>
      (await stage.kv.findDiagnostics(project.projectId)).map(({ kind, detail }) => [kind, detail])
    await expect.poll(noted).toEqual([['unknown_tier', 'gold']])
  })

  test('so is a token of the identity provider', async () => {
    const stage = await open()
    const idp = makeKey('idp-1')
    const jwksUrl = 'https://idp.example.net/jwks'
    const identity_provider = {
      issuer: externalIssuer,
      jwks_url: jwksUrl,
      audience: externalAudience,
      user_id_claim: 'sub',
      tier_claim: 'plan',
    }
    const project = await stage.makeProject({ unknown_tier: 'reject' }, { identity_provider, tiers: [gold] })
    const keys = JSON.stringify({ jwks_url: jwksUrl, ...JSON.parse(keySetText(idp)) })
    await stage.kv.putKeySet(project.projectId, { revision: 1, body: keys })
    const now = Math.floor(Date.now() / 1000)
    const token = (plan: string) =>
      makeToken(idp, { alg: 'RS256', kid: idp.kid }, externalClaims({ iat: now, exp: now + 3600, plan }))
    expect(await stage.complete(project, { token: token('gold') })).toMatchObject({ status: 200 })
    expect(await stage.complete(project, { token: token('silver') })).toMatchObject({
      status: 403,
      json: { error: { message: 'The project has no tier "silver"', code: 'unknown_tier' } },
    })
  })

  test('a tier is known from its deploy on, and for a day after the deploy that removed it', async () => {
    let time = Date.now()
    const stage = await open({ now: () => time, hearsOfConfigs: false })
    const project = await stage.makeProject({ unknown_tier: 'reject' })
    const ask = () => stage.complete(project, { token: stage.tokenFor(project, { tier: 'gold' }) })
    expect(await ask()).toMatchObject(refused)
    await stage.deploy(project, { live: { tiers: [gold] } })
    expect(await ask()).toMatchObject({ status: 200, json: { settings: { system_prompt: 'Be golden.' } } })
    await stage.deploy(project, { live: { tiers: [], retired_tiers: [{ ...gold, retired_at: time }] } })
    expect(await ask()).toMatchObject({ status: 200, json: { settings: { system_prompt: 'Be golden.' } } })
    time += 86_400_000
    await expect.poll(ask).toMatchObject(refused)
  })

  test('a deploy of the rule holds for the next request, whatever this process had cached', async () => {
    const stage = await open({ hearsOfConfigs: false })
    const project = await stage.makeProject()
    const ask = () => stage.complete(project, { token: stage.tokenFor(project, { tier: 'gold' }) })
    expect(await ask()).toMatchObject({ status: 200, json: { settings: { system_prompt: null } } })
    await stage.deploy(project, { settings: { unknown_tier: 'reject' } })
    expect(await ask()).toMatchObject(refused)
  })
})
