// What every protocol must show on its provider's recorded traffic: the expected answer for each cut of it, the
// expected class for each refusal, and the recorded request for each prompt. One call per provider.

import { expect, inject, it } from 'vitest'
import type { AnswerEvent, Delta } from '../../../src/domain/conversation/answer.ts'
import { unknownModelFacts } from '../../../src/domain/conversation/model-facts.ts'
import { writeJson } from '../../../src/domain/json/json-text.ts'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import type { Protocol, ReadOptions, Target, UpstreamRequest } from '../../../src/providers/protocols/protocol.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { readCompletionRequest } from '../../surfaces/chat-completions/read-body.ts'
import { type ClientView, streamText, viewPlain, viewStream } from './client-view.ts'
import { cutsOf } from './cuts.ts'
import { type Canonical, collect, type Expected, type Fixture, loadFixtures, loadPairs, type Pair } from './fixtures.ts'

export interface ProtocolUnderTest {
  provider: string
  protocol: Protocol
  /** What a body on this wire says. */
  canonicalise(upstream: { url: string; body: JsonObject }): Canonical
  /** The flags that the registry has for the model of a pair. */
  targetOf?(pair: Pair): Partial<Target>
  /** How the fixture's request was rendered, where its answer cannot be read without. */
  readingOf?(fixture: Fixture): Partial<ReadOptions>
  /** What a prompt of ours says on this wire, where it is not all that the recorded request says. */
  expectedOf?(pair: Pair): Canonical
  /** The good answer to another question than one for a completion. */
  isOtherAnswer?(fixture: Fixture): boolean
}

export function testReading(overrides: Partial<ReadOptions> = {}): ReadOptions {
  let made = 0
  return { jsonTool: null, passes: true, newToolCallId: () => `call_${String(++made).padStart(24, '0')}`, ...overrides }
}

export function testTarget(overrides: Partial<Target> = {}): Target {
  return { model: 'model-1', facts: unknownModelFacts, hasBaseUrlOverride: false, endUserHash: null, ...overrides }
}

/** For a client of chat completions: bytes of other formats are not passed on to it. */
function readAsChat({ wireFormat }: Protocol): Pick<ReadOptions, 'passes'> {
  return { passes: wireFormat === 'chat-completions' }
}

/** Everything that a stream in these pieces comes to. */
export function decodeStream(
  protocol: Protocol,
  pieces: readonly Uint8Array[],
  reading = testReading(readAsChat(protocol)),
): AnswerEvent[] {
  const decoder = protocol.createStreamDecoder(reading)
  const events: AnswerEvent[] = []
  for (const piece of pieces) {
    events.push(...copied(decoder.push(piece)))
    // Whoever gave the bytes may use their memory again.
    piece.fill(0x78)
  }
  return [...events, ...copied(decoder.end())]
}

function copied(events: AnswerEvent[]): AnswerEvent[] {
  return events.map(({ deltas, raw }) => ({ deltas, raw: raw && Uint8Array.from(raw) }))
}

export function deltasOf(events: readonly AnswerEvent[]): Delta[] {
  return events.flatMap(({ deltas }) => deltas)
}

/** Deltas and bytes as one text, for comparing what two cuts came to. */
function transcript(events: readonly AnswerEvent[]): string {
  return events
    .map(({ deltas, raw }) => JSON.stringify([deltas, raw && Buffer.from(raw).toString('base64')]))
    .join('\n')
}

export function describeProtocol(under: ProtocolUnderTest): void {
  const fixtures = loadFixtures(under.provider).filter(fixture => fixture.expect !== undefined)
  const pairs = loadPairs(under.provider)
  describeWithSharedData(`recorded traffic of ${under.provider}`, 'fixtures', () => {
    it('is there', () => expect(fixtures.length).toBeGreaterThan(0))
    it.each(fixtures.map(fixture => [fixture.file, fixture] as const))('%s', (_, fixture) => replay(under, fixture))
    it.each(pairs.map(pair => [pair.file, pair] as const))('%s', (_, pair) => {
      expectRequest(under, pair)
      replay(under, { ...pair, kind: 'pair', request: pair.upstream })
    })
  })
}

function replay(under: ProtocolUnderTest, fixture: Fixture): void {
  const { status, sse, body_text = '' } = fixture.response
  const expected = fixture.expect ?? {}
  const readingFor = () => testReading({ ...readAsChat(under.protocol), ...under.readingOf?.(fixture) })
  if (status !== 200) {
    const headers = Object.fromEntries(
      Object.entries(fixture.response.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const error = under.protocol.readError({ status, headers, body: body_text, now: 0 })
    expect(error.class).toBe(expected.error_class)
  } else if (sse === undefined) {
    const event = under.protocol.decodeAnswer(Buffer.from(body_text), readingFor())
    if (under.isOtherAnswer?.(fixture)) {
      expect(event.deltas).toMatchObject([{ type: 'error', error: { class: 'malformed' } }])
      return
    }
    expectAnswer(event.deltas, expected)
    if (event.deltas.at(-1)?.type !== 'error') expectView(viewPlain(event), event.deltas)
  } else {
    const cuts = cutsOf(sse, inject('prove') ? 50 : 3)
    const [whole = [], ...others] = cuts.map(({ pieces }) => decodeStream(under.protocol, pieces, readingFor()))
    expectAnswer(deltasOf(whole), expected)
    expectView(viewStream(streamText(whole)), deltasOf(whole))
    for (const other of others) expect(transcript(other)).toBe(transcript(whole))
  }
}

function expectAnswer(deltas: readonly Delta[], expected: Expected): void {
  const { choices, usage, error } = collect(deltas)
  expect(error?.class).toBe(expected.stream_error?.error_class)
  for (const [index, want] of (expected.choices ?? []).entries()) {
    const got = choices[index]
    expect(got).toMatchObject({ index: want.index, text: want.text, refusal: want.refusal })
    const plan = want.tool_plan ?? ''
    expect([want.reasoning, plan + want.reasoning]).toContain(got?.reasoning)
    // An answer that failed has no finish, also where the provider gave one with its error.
    if (error === null) expect(want.finish_reason_any).toContain(got?.finish)
    else expect(got?.finish).toBe(null)
    expect(got?.calls.map(({ name, arguments: text }) => ({ name, arguments: parsedArguments(text) }))).toEqual(
      want.tool_calls,
    )
  }
  expect(choices).toHaveLength(expected.choices?.length ?? 0)
  expect(usage && usageOnWire(usage)).toEqual(expected.usage)
}

/** A client sees what the deltas say, raw or rendered. */
function expectView(view: ClientView, deltas: readonly Delta[]): void {
  const { choices, usage, error } = collect(deltas)
  expect(view.choices).toEqual(
    choices.map(({ index, text, reasoning, refusal, calls, finish }) => {
      const seen = calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }))
      return { index, role: 'assistant', text, reasoning, refusal, calls: seen, finish }
    }),
  )
  if (error === null) expect(view.usage?.total_tokens).toBe(usage?.totalTokens)
}

/** Text that is no JSON was cut, and has to reach the client as it is. */
function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { __unparsed__: text }
  }
}

function usageOnWire(usage: NonNullable<ReturnType<typeof collect>['usage']>) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    cached_tokens: usage.cachedTokens,
    reasoning_tokens: usage.reasoningTokens,
  }
}

/** With the body as the provider reads it. */
export function asSent(request: UpstreamRequest): UpstreamRequest {
  return { ...request, body: JSON.parse(writeJson(request.body)) }
}

function expectRequest(under: ProtocolUnderTest, pair: Pair): void {
  const { prompt } = readCompletionRequest(pair.inbound)
  const target = testTarget({ model: String(pair.inbound['model']), ...under.targetOf?.(pair) })
  const { path, query, body } = asSent(under.protocol.render(prompt, target))
  const url = `/${path.join('/')}${query ? `?${new URLSearchParams(query)}` : ''}`
  // The recorded one first: a canonicaliser that is wrong must not hide in both.
  expect(under.canonicalise(pair.upstream)).toEqual(pair.canonical)
  expect(under.canonicalise({ url, body })).toEqual(under.expectedOf?.(pair) ?? pair.canonical)
}
