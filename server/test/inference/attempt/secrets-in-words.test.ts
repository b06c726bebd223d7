// Tests that nothing a provider says shows the secrets of its tenant or of the end user, in any form: errors, whole
// answers and streams of every provider, which here repeats all that it was sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamRequest,
} from '../../support/simulated/scripted-upstream.ts'
import {
  type AnyWire,
  awsSecret,
  entraSecret,
  everyWire,
  exchangingWires,
  identityToken,
  identityTokenFile,
  privateKeyPem,
  type SurfaceName,
  scriptAllKeyChecks,
  surfaces,
} from '../every-wire.ts'
import { openStage, type Stage } from '../inference-stage.ts'

const secretHeaders = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'x-amz-security-token',
  'x-team',
  'x-gate',
]
const keyLines = privateKeyPem
  .split('\n')
  .filter(line => line.length > 40 && !line.startsWith('-'))
  .slice(0, 3)

const allWires = [...everyWire, ...exchangingWires]
/** What a call knows beside what it sends. */
const ownSecrets: Readonly<Record<string, readonly string[]>> = {
  bedrock: [awsSecret],
  'azure by Entra ID': [entraSecret],
  'vertex with Gemini': keyLines,
  'vertex with Claude': keyLines,
}

const assumed = {
  id: 'ASIAASSUMEDROLE0123456',
  secret: 'assumed/secret+0123456789',
  session: 'assumed-session/0123456789=',
}
const assumedRole = `<Credentials><AccessKeyId>${assumed.id}</AccessKeyId>
<SecretAccessKey>${assumed.secret}</SecretAccessKey><SessionToken>${assumed.session}</SessionToken>
<Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials>`

/** What the provider was sent in headers, and what else the call knows. */
function secretsOf({ headers }: UpstreamRequest, others: readonly string[]): string[] {
  const sent = secretHeaders.flatMap(name => {
    const value = headers[name]
    return typeof value === 'string' ? [value.replace(/^(?:Bearer|Token) /, '')] : []
  })
  return [...sent, ...others]
}

const formsOf = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll('/', '\\/'),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(`me:${secret}`).toString('base64url'),
]
/** No form of the secret may be left, nor most of it. */
const piecesOf = (secret: string) => [
  secret.slice(0, 12),
  secret.slice(-12),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').slice(4, 20),
]

/** The provider's own error, with these words in place of `no`. */
function withWords(value: unknown, words: string): unknown {
  if (value === 'no') return words
  // Anthropic's errors of other types are not shown.
  if (value === 'api_error') return 'invalid_request_error'
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withWords(held, words)]))
}

type Way = 'refusal' | 'page' | 'error as answer' | 'answer' | 'stream'
const ways: readonly Way[] = ['refusal', 'page', 'error as answer', 'answer', 'stream']

describe('what a provider says', () => {
  let stage: Stage
  let sts: ScriptedUpstream
  beforeAll(async () => {
    sts = await startUpstream()
    sts.on('GET /', { body: '<GetCallerIdentityResponse/>' })
    sts.on('POST /', { headers: { 'content-type': 'text/xml' }, body: assumedRole })
    const env = {
      AWS_ENDPOINT_URL_STS: `${sts.url}/`,
      AZURE_AUTHORITY_HOST: '{upstream}/entra',
      WEB_IDENTITY_TOKEN_FILES: identityTokenFile,
      LOG_LEVEL: 'debug',
    }
    stage = await openStage('sqlite', env, { own: true })
    scriptAllKeyChecks(stage)
  })
  afterAll(async () => {
    await stage.stop()
    await sts.close()
  })

  /** Lets the provider repeat the secrets of each request, and notes them. */
  function repeat(wire: AnyWire, way: Way, token: string): string[] {
    const noted: string[] = []
    // An answer is searched for what was sent, as it was sent.
    const isAnswer = way === 'answer' || way === 'stream'
    const own = ownSecrets[wire.name] ?? []
    stage.upstream.on('*', request => {
      const secrets = secretsOf(request, isAnswer ? [] : [token, ...own])
      noted.push(...secrets)
      const words = (isAnswer ? secrets : secrets.flatMap(formsOf)).join(' and ')
      const inText = (bytes: Buffer) =>
        Buffer.from(bytes.toString().replaceAll('swer', () => JSON.stringify(words).slice(1, -1)))
      const headers = { 'content-type': wire.streamType }
      switch (way) {
        case 'refusal':
          return { status: 400, body: withWords(wire.errorBody, `bad request for ${words}`) }
        case 'page':
          return { status: 400, headers: { 'content-type': 'text/html' }, body: `<p>${words}</p>` }
        case 'error as answer':
          return { body: withWords(wire.errorBody, `bad request for ${words}`) }
        case 'answer':
          return { body: inText(wire.whole()).toString() }
        case 'stream':
          return { headers, body: Buffer.concat(wire.events().map(inText)).toString() }
      }
    })
    return noted
  }

  const wires = allWires.flatMap(wire => wire.surfaces.map(surface => [wire.name, surface] as const))
  test.each(wires)('%s, by %s', async (name, surface: SurfaceName) => {
    const wire = allWires.find(one => one.name === name) as AnyWire
    const project = await wire.makeProject(stage, {})
    const token = await project.mint()
    const { path, ask } = surfaces[surface]
    for (const way of ways) {
      // Changed frames of AWS do not pass their checksum.
      if (way === 'stream' && name.startsWith('bedrock')) continue
      const noted = repeat(wire, way, token)
      const body = { ...ask('Hello'), stream: way === 'stream' }
      const { status, text } = await project.ask('POST', path, { token, body })
      const said = JSON.stringify(text.match(/.{0,40}\[redacted\]/g))
      expect(noted.length, `${way} ${text}`).toBeGreaterThan(0)
      expect(status, `${way} ${text}`).toBe(way === 'answer' || way === 'stream' ? 200 : status)
      if (way !== 'page' && way !== 'error as answer') expect(said, `${way} ${text}`).toContain('[redacted]')
      for (const secret of noted)
        for (const piece of piecesOf(secret)) expect(text, `${way} ${piece}`).not.toContain(piece)
    }
  })

  // Each way of these issuers is asked once: what they gave out before is not used again.
  test.each([
    ['azure by Entra ID', entraSecret],
    ['bedrock by an assumed role', identityToken],
    ['vertex with Gemini', 'assertion'],
  ])('what the issuer of tokens says, of %s', async (name, sent) => {
    const wire = allWires.find(one => one.name === name) as AnyWire
    const project = await wire.makeProject(stage, {})
    const issuer = name.startsWith('bedrock') ? sts : stage.upstream
    const script = name.startsWith('azure') ? 'POST /entra/directory/oauth2/v2.0/token' : 'POST /google/token'
    const noted: string[] = []
    issuer.on(name.startsWith('bedrock') ? 'POST /' : script, ({ body }) => {
      const form = new URLSearchParams(body)
      noted.push(sent === 'assertion' ? (form.get(sent) ?? '') : sent)
      const words = noted.flatMap(formsOf).join(' and ')
      return { status: 400, body: { error: 'invalid_request', error_description: `${body} ${words}` } }
    })
    try {
      // The check of the key has a token already.
      stage.upstream.on('*', { status: 401, body: {} })
      await project.complete({})
      const { status, text } = await project.complete({})
      expect(status).toBeGreaterThanOrEqual(400)
      expect(noted.length).toBeGreaterThan(0)
      for (const said of [text, stage.harness.product.stdout()])
        for (const piece of noted.flatMap(piecesOf)) expect(said).not.toContain(piece)
    } finally {
      scriptAllKeyChecks(stage)
      sts.on('POST /', { headers: { 'content-type': 'text/xml' }, body: assumedRole })
    }
  })

  test('what a receiver of webhooks says', async () => {
    const { harness, upstream } = stage
    const { id: tenantId } = await harness.makeTenant()
    const path = `/auth/v1/tenants/${tenantId}/webhooks`
    const manage = (method: string, at: string, body?: unknown) =>
      harness.call(method, at, { session: harness.owner.session, ...(body !== undefined && { body }) })
    const made = await manage('POST', path, { url: `${upstream.url}/hook` })
    const { id, secret } = made.body as { id: string; secret: string }
    const noted = [secret, secret.slice('whsec_'.length)]
    upstream.on('POST /hook', ({ headers, body }) => {
      noted.push(String(headers['webhook-signature']).replace('v1,', ''))
      const words = noted.flatMap(formsOf).join(' and ')
      return { status: 500, headers: { 'x-said': noted.join(' ') }, body: { error: `${words} ${body}` } }
    })
    expect((await manage('POST', `${path}/${id}/test`)).status).toBeLessThan(300)
    const deliveries = () => manage('GET', `${path}/${id}/deliveries`)
    await expect.poll(async () => (await deliveries()).text).toContain('"last_status":500')
    expect(noted.length).toBeGreaterThan(2)
    const events = await manage('GET', `/auth/v1/tenants/${tenantId}/events`)
    const all = [await deliveries(), await manage('GET', path), await manage('POST', `${path}/${id}/test`), events]
    for (const said of [...all.map(({ text }) => text), stage.harness.product.stdout()])
      for (const piece of noted.flatMap(piecesOf)) expect(said).not.toContain(piece)
  })
})
