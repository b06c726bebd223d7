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
  everyWire,
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
    stage = await openStage('sqlite', { AWS_ENDPOINT_URL_STS: `${sts.url}/` }, { own: true })
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
    const own = wire.name === 'bedrock' ? [awsSecret] : wire.name.startsWith('vertex') ? keyLines : []
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

  const wires = everyWire.flatMap(wire => wire.surfaces.map(surface => [wire.name, surface] as const))
  test.each(wires)('%s, by %s', async (name, surface: SurfaceName) => {
    const wire = everyWire.find(one => one.name === name) as AnyWire
    const project = await wire.makeProject(stage, {})
    const token = await project.mint()
    const { path, ask } = surfaces[surface]
    for (const way of ways) {
      // Changed frames of AWS do not pass their checksum.
      if (way === 'stream' && name === 'bedrock') continue
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
})
