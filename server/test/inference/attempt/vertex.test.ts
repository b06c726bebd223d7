// Completions of Vertex AI through the product, and the configurations of all clouds.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventStream, say } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { eventsOf, oneConnection, textOf } from '../inference-stage.ts'
import {
  assumedSecret,
  awsSecret,
  azureKey,
  CloudStage,
  claude,
  clientSecret,
  configurations,
  type Kind,
  providerOf,
} from './cloud-stage.ts'

const otherFile = join(mkdtempSync(join(tmpdir(), 'sallyport-other-')), 'token')
writeFileSync(otherFile, 'not for tenants')

const events = (data: readonly string[]) => eventStream(data.map(text => `data: ${text}\n\n`))

describe.each(['sqlite', 'postgres'] as const)('clouds on %s', backend => {
  const at = new CloudStage(backend)

  describe('vertex', () => {
    const base = '/v1/projects/my-project/locations/europe-west4/publishers'
    const allowed = (answer: UpstreamAnswer) => (request: UpstreamRequest) =>
      at.issuers.hasToken(request)
        ? answer
        : { status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED', message: 'No' } } }

    test('Gemini answers, whole and streamed, also after its token was revoked', async () => {
      const project = await at.makeProject('vertex', 'gemini-2.5-flash')
      const said = { candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }] }
      at.cloud.on(`POST ${base}/google/models/gemini-2.5-flash:generateContent`, allowed({ body: said }))
      at.cloud.on(
        `POST ${base}/google/models/gemini-2.5-flash:streamGenerateContent`,
        allowed(events([JSON.stringify(said)])),
      )
      const agent = oneConnection()
      const answer = await project.complete({}, { agent })
      expect(answer).toMatchObject({ body: { choices: [{ message: { content: 'Hello' } }] } })
      at.issuers.accepted.clear()
      expect(textOf(eventsOf(await at.textOfStream(project, {}, { agent })))).toBe('Hello')
      expect(at.asked().map(({ query }) => query)).toEqual([{}, { alt: 'sse' }, { alt: 'sse' }])
    })

    test('Claude answers, whole and streamed', async () => {
      const project = await at.makeProject('vertex', 'claude-sonnet-4-5')
      const place = `POST ${base}/anthropic/models/claude-sonnet-4-5`
      at.cloud.on(`${place}:rawPredict`, allowed(say('anthropic', { text: ['Hello'] }, false)))
      at.cloud.on(`${place}:streamRawPredict`, allowed(say('anthropic', { text: ['Hel', 'lo'] }, true)))
      expect(await project.complete()).toMatchObject({ body: { choices: [{ message: { content: 'Hello' } }] } })
      expect(textOf(eventsOf(await at.textOfStream(project)))).toBe('Hello')
      for (const { body } of at.asked()) {
        expect(JSON.parse(body)).toMatchObject({ anthropic_version: 'vertex-2023-10-16' })
        expect(JSON.parse(body)).not.toHaveProperty('model')
      }
    })
  })

  describe('their configuration', () => {
    test('is shown without secrets, and deleted', async () => {
      const tenantId = (await at.stage.harness.makeTenant({ plan: 'pro' })).id
      for (const kind of ['entra', 'bedrock', 'vertex'] as const) {
        const path = `/auth/v1/tenants/${tenantId}/providers/${providerOf(kind)}`
        const stored = await at.put(tenantId, kind)
        expect(stored.status).toBe(200)
        const shown = await at.manage('GET', path)
        expect(shown.body).toEqual(stored.body)
        expect(shown.body).toMatchObject({
          configured: true,
          provider_type: providerOf(kind),
          base_url_override: kind === 'entra' ? null : at.cloud.url,
        })
      }
      const listed = await at.manage('GET', `/auth/v1/tenants/${tenantId}/providers`)
      const models = await at.manage('GET', `/auth/v1/tenants/${tenantId}/providers/models`)
      const shown =
        listed.text + models.text + (await at.manage('GET', `/auth/v1/tenants/${tenantId}/providers/vertex`)).text
      for (const model of ['azure/my-gpt', `bedrock/${claude}`, 'vertex/gemini-2.5-flash'])
        expect(models.text).toContain(model)
      for (const secret of [clientSecret, awsSecret, 'PRIVATE KEY']) expect(shown).not.toContain(secret)
      for (const provider of ['azure', 'bedrock', 'vertex']) {
        const path = `/auth/v1/tenants/${tenantId}/providers/${provider}`
        expect((await at.manage('DELETE', path)).status).toBe(204)
        expect((await at.manage('GET', path)).status).toBe(404)
        expect((await at.manage('DELETE', path)).status).toBe(404)
      }
    })

    // At once, because no refusal is given within 500 ms.
    test.concurrent.each<[Kind, object, number, string]>([
      ['azure', { base_url: 'http://10.0.0.1' }, 400, 'INVALID_BASE_URL'],
      ['azure', { base_url: undefined }, 400, 'base_url is required'],
      ['azure', { deployments: [] }, 400, 'deployments must be an array of 1-500 objects'],
      ['azure', { deployments: [{ id: 'a' }, { id: 'a' }] }, 400, 'deployments[1].id is given twice'],
      ['azure', { api_key: 'another-key-0123456789' }, 422, 'KEY_VALIDATION_FAILED'],
      ['entra', { client_secret: 'wrong' }, 422, 'KEY_VALIDATION_FAILED'],
      ['bedrock', { secret_access_key: 'wrong' }, 422, 'KEY_VALIDATION_FAILED'],
      ['bedrock', { region: 'eu-central-1.example.com/' }, 400, 'region must be a region of AWS'],
      ['bedrock', { models: undefined }, 400, 'models must be an array of 1-500 objects'],
      ['bedrock', { base_url_override: 'https://169.254.169.254' }, 400, 'INVALID_BASE_URL'],
      ['role', { web_identity_token_file: otherFile }, 400, 'web_identity_token_file must be one of the files'],
      ['role', { role_arn: 'arn:aws:iam::1:user/x' }, 400, 'role_arn must be the ARN of a role'],
      ['vertex', { location: 'nowhere' }, 400, 'location must be'],
    ])('%s with %j is refused', async (kind, fields, status, words) => {
      const tenantId = (await at.stage.harness.makeTenant({ plan: 'pro' })).id
      const answer = await at.put(tenantId, kind, fields)
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)])
      expect((await at.manage('GET', `/auth/v1/tenants/${tenantId}/providers`)).body).toEqual({ providers: [] })
    })

    test.each<[Kind, object]>([
      ['azure', { api_key: 'another-key-0123456789' }],
      ['entra', { client_secret: 'wrong' }],
      ['bedrock', { secret_access_key: 'wrong' }],
      ['vertex', { base_url_override: 'https://169.254.169.254' }],
    ])('%s can be checked without being stored, right and with %j', async (kind, fields) => {
      const { id: tenantId } = await at.stage.harness.makeTenant({ plan: 'free' })
      const path = `/auth/v1/tenants/${tenantId}/providers`
      const validate = (body: object) => at.manage('POST', `${path}/${providerOf(kind)}/validate`, body)
      const configuration = configurations[kind](at.cloud.url)
      expect(await validate(configuration)).toMatchObject({ status: 200, body: { valid: true } })
      const { status, body } = await validate({ ...configuration, ...fields })
      if (kind === 'vertex') expect([status, body]).toMatchObject([400, { code: 'INVALID_BASE_URL' }])
      else expect([status, body]).toEqual([200, { valid: false, reason: 'invalid_key' }])
      expect((await at.manage('GET', path)).body).toEqual({ providers: [] })
    })

    test('of Vertex AI may not name a private address for its tokens', async () => {
      const tenantId = (await at.stage.harness.makeTenant({ plan: 'pro' })).id
      const { service_account } = configurations.vertex(at.cloud.url)
      const answer = await at.put(tenantId, 'vertex', {
        service_account: { ...service_account, token_uri: 'https://169.254.169.254/token' },
      })
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('INVALID_BASE_URL')])
    })

    test('needs the Pro plan', async () => {
      const tenantId = (await at.stage.harness.makeTenant({ plan: 'free' })).id
      expect((await at.put(tenantId, 'azure')).status).toBe(403)
    })
  })

  test('no secret and no token is in the log', () => {
    const log = at.stage.harness.product.stdout() + at.stage.harness.product.stderr()
    for (const secret of [
      azureKey,
      clientSecret,
      awsSecret,
      assumedSecret,
      'PRIVATE KEY',
      'web-identity-token',
      'token-1',
      'session-',
    ]) {
      expect(log).not.toContain(secret)
    }
  })
})
