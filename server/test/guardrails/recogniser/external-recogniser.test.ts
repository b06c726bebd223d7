// The external recogniser against a real HTTP server: what it sends, how it reads the answer, and what it does if there
// is none.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { RecogniserOutcome } from '../../../src/domain/metrics.ts'
import type { Finding } from '../../../src/guardrails/finding.ts'
import { readPiiRules } from '../../../src/guardrails/pii-shield.ts'
import { createExternalRecogniser } from '../../../src/guardrails/recogniser/external-recogniser.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { finish } from '../../support/finish.ts'
import {
  type Script,
  type ScriptedUpstream,
  startUpstream,
  type UpstreamRequest,
} from '../../support/simulated/scripted-upstream.ts'

const rules = finish(
  readPiiRules({
    pii_entities: { PERSON: 'MASK', LOCATION: 'MASK', BADGE: 'MASK' },
    custom_entities: [{ name: 'BADGE', words: ['B-17'] }],
  }),
)
const project = { tenantId: 'tenant-1', projectId: 'project-1' }
/** No test on a slow machine takes as long. */
const amplyMs = 60_000

let analyzer: ScriptedUpstream
beforeEach(async () => {
  analyzer = await startUpstream()
  onTestFinished(() => analyzer.close())
})

const answer = (script: Script) => analyzer.on('POST /analyze', script)
const person = (start: number, end: number, score = 0.85) => ({ entity_type: 'PERSON', start, end, score })
const textOf = ({ body }: UpstreamRequest) => (JSON.parse(body) as { text: string }).text
const sent = () => analyzer.requests.map(textOf)

interface Options {
  url?: string | null
  projectUrl?: string | null
  allow?: string
  timeoutMs?: number
  maxKnown?: number
}

function openRecogniser({ url = analyzer.url, projectUrl = null, allow, timeoutMs = amplyMs, ...more }: Options = {}) {
  const { log, lines } = createMemoryLog()
  const outbound = createOutbound({ allow: parseOutboundAllow(allow), log })
  onTestFinished(() => outbound.close())
  const counted: RecogniserOutcome[] = []
  const recogniser = createExternalRecogniser({ outbound, url, timeoutMs, maxKnown: more.maxKnown ?? 1_000 })
  const metrics = { recogniserCalled: (outcome: RecogniserOutcome) => void counted.push(outcome) }
  return { counted, lines, open: (of = project) => recogniser.open({ projectUrl, project: of, rules, metrics })! }
}

const found = (text: string, finds: readonly Finding[]) =>
  finds.map(({ type, start, end }) => [type, text.slice(start, end)])

describe('the request', () => {
  test('is the one of Presidio, and its wanted matches are returned', async () => {
    const text = 'Ask Zoë Roe in Pamplona, badge B-17, at 5 pm'
    answer({
      body: [
        { ...person(4, 11), analysis_explanation: null },
        { entity_type: 'LOCATION', start: 15, end: 23, score: 1 },
        { entity_type: 'BADGE', start: 31, end: 35, score: 0.7 },
        { entity_type: 'DATE_TIME', start: 40, end: 44, score: 0.9 },
        { entity_type: 'NRP', start: 0, end: 3, score: 0.9 },
        person(36, 38, 0.69),
      ],
    })
    const recognition = openRecogniser().open()
    expect(found(text, await recognition.find(text))).toEqual([
      ['PERSON', 'Zoë Roe'],
      ['LOCATION', 'Pamplona'],
      ['BADGE', 'B-17'],
    ])
    expect(recognition.failure).toBeNull()
    expect(analyzer.requests).toMatchObject([
      { method: 'POST', path: '/analyze', headers: { 'content-type': 'application/json' } },
    ])
    expect(JSON.parse(analyzer.requests[0]!.body)).toEqual({ text, language: 'en' })
  })

  test.each([
    ['', '/analyze'],
    ['/', '/analyze'],
    ['/v2/presidio', '/v2/presidio/analyze'],
    ['/v2/analyze', '/v2/analyze'],
    ['/v2/reanalyze', '/v2/reanalyze/analyze'],
  ])('of a recogniser at %j goes to %s', async (path, expected) => {
    analyzer.on('*', { body: [] })
    await openRecogniser({ url: `${analyzer.url}${path}` })
      .open()
      .find('Zoë')
    expect(analyzer.requests.map(request => request.path)).toEqual([expected])
  })

  test("goes to the project's own recogniser, if it has one, under the rules for tenants' addresses", async () => {
    answer({ body: [person(0, 3)] })
    const own = openRecogniser({ url: 'http://127.0.0.1:9', projectUrl: analyzer.url, allow: analyzer.host })
    expect(await own.open().find('Zoë')).toHaveLength(1)
    const blocked = openRecogniser({ url: null, projectUrl: analyzer.url })
    const recognition = blocked.open()
    expect(await recognition.find('Zoë')).toEqual([])
    expect(recognition.failure?.problem).toBe('blocked')
    expect(blocked.counted).toEqual(['blocked'])
    expect(sent()).toEqual(['Zoë'])
  })

  test('is not made without a recogniser, and not for a text without characters', async () => {
    const recognition = openRecogniser().open()
    expect(await recognition.find(' \n')).toEqual([])
    expect(sent()).toEqual([])
    const { log } = createMemoryLog()
    const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
    onTestFinished(() => outbound.close())
    const none = createExternalRecogniser({ outbound, url: null, maxKnown: 1 })
    const metrics = { recogniserCalled: () => undefined }
    expect(none.open({ projectUrl: null, project, rules, metrics })).toBeNull()
  })
})

describe('offsets', () => {
  test.each([
    ['without surrogates', 'Ask Zoë Roe', 4, 11, 'Zoë Roe'],
    ['an emoji before the match', '👋 Zoë Roe', 2, 9, 'Zoë Roe'],
    ['an emoji within the match', 'Zoë 👋 Roe!', 0, 9, 'Zoë 👋 Roe'],
    ['joined emoji before and behind', '👩‍👩‍👧 Zoë 👋', 6, 9, 'Zoë'],
    ['a match at the end', '👋👋 Zoë', 3, 6, 'Zoë'],
    ['half a pair', '\ud83d Zoë \ude00', 2, 5, 'Zoë'],
  ])('count code points: %s', async (_name, text, start, end, expected) => {
    answer({ body: [person(start, end)] })
    expect(found(text, await openRecogniser().open().find(text))).toEqual([['PERSON', expected]])
  })

  test('of several matches, in any order, are converted each', async () => {
    const text = '👋 Zoë 👋 Ana 👋 Eva'
    answer({ body: [person(14, 17), person(2, 5), person(8, 11), person(2, 11)] })
    const finds = await openRecogniser().open().find(text)
    expect(found(text, finds).map(([, value]) => value)).toEqual(['Zoë 👋 Ana', 'Zoë', 'Ana', 'Eva'])
  })
})

describe('without an answer', () => {
  const text = 'a confidential text'
  const failing = async (options: Options = {}) => {
    const { open, counted, lines } = openRecogniser(options)
    const recognition = open()
    expect(await recognition.find(text)).toEqual([])
    expect(`${recognition.failure?.stack} ${JSON.stringify(lines)}`).not.toContain(text)
    expect(counted).toEqual([recognition.failure?.problem])
    return recognition.failure?.problem
  }

  test.each([
    ['no JSON', `not JSON: ${text}`],
    ['no list', { entity_type: 'PERSON', start: 0, end: 1, score: 1 }],
    ['no object', [7]],
    ['no type', [{ start: 0, end: 1, score: 1 }]],
    ['a negative offset', [person(-1, 1)]],
    ['half an offset', [person(0.5, 1)]],
    ['text as offset', [{ ...person(0, 1), end: '1' }]],
    ['an end behind the text', [person(0, text.length + 1)]],
    ['nothing between start and end', [person(1, 1)]],
    ['no score', [{ ...person(0, 1), score: null }]],
    ['a score above one', [person(0, 1, 1.5)]],
    ['one bad entry among good ones', [person(0, 1), person(3, 2)]],
  ])('it fails as malformed: %s', async (_name, body) => {
    answer({ body })
    expect(await failing()).toBe('malformed')
  })

  test('an end behind a text with an emoji is malformed, too', async () => {
    answer({ body: [person(0, 3)] })
    const recognition = openRecogniser().open()
    expect(await recognition.find('👋!')).toEqual([])
    expect(recognition.failure?.problem).toBe('malformed')
  })

  test.each([
    ['status', { status: 500, body: { error: text } }],
    ['status', { status: 204 }],
    ['network', { status: 302, headers: { location: 'http://127.0.0.1:9' } }],
    ['network', { hangUp: true }],
    ['network', { body: `[${' '.repeat(256 * 1024)}]` }],
  ] as const)('it fails as %s: %j', async (problem, script) => {
    answer(script)
    expect(await failing()).toBe(problem)
  })

  test('it fails as network if the connection is refused', async () => {
    expect(await failing({ url: 'http://127.0.0.1:9' })).toBe('network')
  })

  test('it fails as timeout, once for all texts of a request', async () => {
    answer({ write: () => undefined })
    const { open, counted } = openRecogniser({ timeoutMs: 100 })
    const recognition = open()
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`)
    expect(await Promise.all(texts.map(each => recognition.find(each)))).toEqual(texts.map(() => []))
    expect(recognition.failure?.problem).toBe('timeout')
    // The four that ran; the others were not sent.
    expect(counted).toEqual(Array(4).fill('timeout'))
    expect(sent().length).toBeLessThanOrEqual(4)
  })

  test('the time is that of all calls together, not of each', async () => {
    answer({ delayMs: 100, body: [] })
    const recognition = openRecogniser({ timeoutMs: 250 }).open()
    // Four at once, so the last ones would end after 400 ms.
    await Promise.all(Array.from({ length: 16 }, (_, index) => recognition.find(`text ${index}`)))
    expect(recognition.failure?.problem).toBe('timeout')
  })

  test('a failure is not cached', async () => {
    answer({ status: 500 })
    const { open } = openRecogniser()
    await open().find('Zoë Roe')
    answer({ body: [person(0, 3)] })
    expect(await open().find('Zoë Roe')).toHaveLength(1)
  })
})

describe('the calls of a request', () => {
  test('are four at once', async () => {
    let [running, most] = [0, 0]
    answer({
      async write(response) {
        most = Math.max(most, ++running)
        await sleep(20)
        running -= 1
        response.writeHead(200).end('[]')
      },
    })
    const recognition = openRecogniser().open()
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`)
    await Promise.all(texts.map(text => recognition.find(text)))
    expect(most).toBe(4)
    expect(sent().sort()).toEqual([...texts].sort())
  })

  test('are 200 at most; what they answered is cached for the next request', async () => {
    answer({ body: [person(0, 4)] })
    const { open, counted } = openRecogniser()
    const texts = Array.from({ length: 450 }, (_, index) => `text ${index}`)
    const askAll = async () => {
      const recognition = open()
      const finds = await Promise.all(texts.map(text => recognition.find(text)))
      return { problem: recognition.failure?.problem, found: finds.flat().length, sent: sent().length }
    }
    expect(await askAll()).toEqual({ problem: 'too_many_texts', found: 200, sent: 200 })
    expect(counted.filter(outcome => outcome === 'too_many_texts')).toHaveLength(1)
    expect(await askAll()).toEqual({ problem: 'too_many_texts', found: 400, sent: 400 })
    expect(await askAll()).toEqual({ problem: undefined, found: 450, sent: 450 })
  })

  test('are one for a text that occurs twice, and none for one that is known to the project', async () => {
    answer({ body: [person(0, 1)] })
    const { open } = openRecogniser()
    const [first, again] = [open(), open()]
    await Promise.all([first.find('A'), first.find('A')])
    await again.find('A')
    expect(sent()).toEqual(['A'])
    await open({ ...project, projectId: 'project-2' }).find('A')
    await open({ ...project, tenantId: 'tenant-2' }).find('A')
    expect(sent()).toEqual(['A', 'A', 'A'])
  })

  test('come again on a new connection if the recogniser had closed the idle one', async () => {
    let isFirst = true
    answer(() => {
      const hangUp = !isFirst
      isFirst = false
      return hangUp && sent().filter(text => text === 'second').length === 1 ? { hangUp: true } : { body: [] }
    })
    const recognition = openRecogniser().open()
    await recognition.find('first')
    await recognition.find('second')
    expect(recognition.failure).toBeNull()
    expect(sent()).toEqual(['first', 'second', 'second'])
  })
})
