// Tests that no answer is cached that its provider did not finish: every provider's answer to every surface is damaged
// in every way and place, and the repeated request must reach the provider again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyWire, everyWire, type SurfaceName } from '../every-wire.ts'
import type { TestProject } from '../inference-stage.ts'
import {
  cached,
  cacheHeader,
  openResponse,
  openWireStage,
  stall,
  type WireStage,
  type Write,
  writeWhole,
} from '../wire-stage.ts'

interface Case {
  name: string
  isStream: boolean
  write: Write
  /** The first answer is whole all the same. */
  isWhole?: true
}

let wires: WireStage

beforeAll(async () => {
  wires = await openWireStage({ UPSTREAM_IDLE_TIMEOUT: '1' })
})
afterAll(() => wires.stop())

const half = (bytes: Buffer | undefined = Buffer.alloc(0)) => bytes.subarray(0, bytes.length >> 1)

/** The connection breaks after these bytes, and a chunked body is not closed. */
function cut(type: string, bytes: Buffer): Write {
  return response => {
    openResponse(response, type).flushHeaders()
    if (bytes.length === 0) response.destroy()
    else response.write(bytes, () => response.destroy())
  }
}

/** HTTP says that the body is whole. */
function end(type: string, bytes: Buffer): Write {
  return response => void openResponse(response, type).end(bytes)
}

/** The head promises more bytes than come. */
function fallShort(type: string, bytes: Buffer): Write {
  return response => {
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length + 1 })
    response.write(bytes, () => response.destroy())
  }
}

function damagedStreams(wire: AnyWire): Case[] {
  const { streamType: type, spareEvents, errorEvent } = wire
  const events = wire.events()
  const upTo = (count: number, more: Buffer = Buffer.alloc(0)) => Buffer.concat([...events.slice(0, count), more])
  const needed = events.length - spareEvents
  const places = Array.from({ length: needed }, (_, at) => at)
  const garbled = wire.name === 'bedrock' ? Buffer.alloc(64, 7) : Buffer.from('data: {"id": nope}\n\n')
  const isMarked = !wire.name.includes('google') && !wire.name.includes('Gemini') && wire.name !== 'bedrock'
  const writes: [name: string, write: Write][] = [
    ...places.flatMap((at): [string, Write][] => [
      [`ends after ${at} events`, end(type, upTo(at))],
      [`ends within event ${at}`, end(type, upTo(at, half(events[at])))],
      [`is reset after ${at} events`, cut(type, upTo(at))],
      [`is reset within event ${at}`, cut(type, upTo(at, half(events[at])))],
      [`fails after ${at} events`, end(type, upTo(at, errorEvent))],
      [`is garbled after ${at} events`, end(type, Buffer.concat([upTo(at), garbled, ...events.slice(at)]))],
    ]),
    ...[0, 2, needed - 1].map((at): [string, Write] => [`stalls after ${at} events`, stall(type, upTo(at))]),
    // A stream without a mark at its end is whole once its body ends.
    ...(isMarked ? [] : [['is reset after its last word', cut(type, upTo(needed))] as [string, Write]]),
    ...wire.failures.map((finish): [string, Write] => [
      `ends with ${finish}`,
      response => writeWhole(response, wire, true, finish),
    ]),
  ]
  return writes.map(([name, write]) => ({ name, isStream: true, write }))
}

function damagedBodies(wire: AnyWire): Case[] {
  const type = 'application/json'
  const whole = wire.whole()
  const places = [0, 1, whole.length >> 1, whole.length - 1]
  const writes: [name: string, write: Write][] = [
    ...places.flatMap((at): [string, Write][] => [
      [`ends after ${at} bytes`, end(type, whole.subarray(0, at))],
      [`is reset after ${at} bytes`, cut(type, whole.subarray(0, at))],
      [`stalls after ${at} bytes`, stall(type, whole.subarray(0, at))],
    ]),
    ['is reset after its last byte', cut(type, whole)],
    ['is shorter than announced', fallShort(type, whole)],
    ['is an error', end(type, Buffer.from(JSON.stringify(wire.errorBody)))],
    ...wire.failures.map((finish): [string, Write] => [
      `ends with ${finish}`,
      response => writeWhole(response, wire, false, finish),
    ]),
  ]
  return writes.map(([name, write]) => ({ name, isStream: false, write }))
}

function wholeAnswers(wire: AnyWire): Case[] {
  const { streamType: type, spareEvents } = wire
  const events = wire.events()
  const enough = Buffer.concat(events.slice(0, events.length - spareEvents))
  const whole: Case[] = [
    { name: 'a whole stream', isStream: true, write: end(type, Buffer.concat(events)) },
    { name: 'a stream without what it may lack', isStream: true, write: end(type, enough) },
    { name: 'a whole body', isStream: false, write: end('application/json', wire.whole()) },
  ]
  return whole.map(one => ({ ...one, isWhole: true }))
}

interface Seen {
  /** Of the first request, the second one and the third one. */
  cache: unknown[]
  /** How often the second one and the third one reached the provider. */
  calls: number[]
  /** Of the second one and the third one. */
  statuses: number[]
}

const nothing: Seen = { cache: [], calls: [], statuses: [] }
const hits: Seen = { cache: ['miss', 'hit', 'hit'], calls: [0, 0], statuses: [200, 200] }
const misses: Seen = { cache: ['miss', 'miss', 'hit'], calls: [1, 0], statuses: [200, 200] }

async function ask(
  project: TestProject,
  wire: AnyWire,
  surface: SurfaceName,
  { isStream, write }: Case,
): Promise<Seen> {
  const request = wires.request(wire, surface, isStream)
  const send = async () => {
    const before = request.calls()
    const answer = await project.ask('POST', request.path, { body: request.body })
    return { answer, calls: request.calls() - before }
  }
  request.damage(write)
  const first = await send()
  request.damage(null)
  const [second, third] = [await send(), await send()]
  return {
    cache: [first, second, third].map(({ answer }) => answer.headers[cacheHeader]),
    calls: [second.calls, third.calls],
    statuses: [second.answer.status, third.answer.status],
  }
}

async function askAll<Given, Result>(
  given: readonly Given[],
  work: (one: Given) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = [...given.entries()]
  const workers = Array.from({ length: 24 }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1])
  })
  await Promise.all(workers)
  return results
}

describe.concurrent.each(everyWire.map(wire => [wire.name, wire] as const))('an answer of %s', (_name, wire) => {
  test.each(wire.surfaces.map(surface => [surface] as const))('to %s is cached only if it is whole', async surface => {
    const project = await wire.makeProject(wires.stage, cached)
    const cases = [...wholeAnswers(wire), ...damagedStreams(wire), ...damagedBodies(wire)]
    const seen = await askAll(cases, one => ask(project, wire, surface, one))
    const describe = ({ name, isStream, isWhole }: Case, { cache, calls, statuses }: Seen) =>
      `${name}, stream: ${isStream}, whole: ${isWhole === true}: ${cache} after ${calls} calls with ${statuses}`
    expect(cases.map((one, at) => describe(one, seen[at] ?? nothing))).toEqual(
      cases.map(one => describe(one, one.isWhole ? hits : misses)),
    )
  })
})
