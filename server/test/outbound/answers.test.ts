// What comes back, byte by byte: every case at every cut, and broken answers beside undici, which must never be
// stricter than we are, nor read an answer differently.
import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { Client } from 'undici'
import { describe, expect, inject, it, test } from 'vitest'
import { exchangeFailure, OutboundFailure } from '../../src/outbound/failure.ts'
import { AnswerParser } from '../../src/outbound/parser.ts'
import type { ResponseHead } from '../../src/outbound/response-head.ts'
import { answerCases, brokenAnswers } from './answer-bytes.ts'
import { outboundWith, request, serve } from './outbound-stage.ts'

interface Outcome {
  status?: number
  headers?: Record<string, unknown>
  body?: string
  fault?: string
}

/** The parser alone, fed piece by piece, and then told that the far end has closed. */
function parse(pieces: readonly Buffer[], isHeadRequest = false): Outcome {
  const body: string[] = []
  let head: ResponseHead | null = null
  const parser = new AnswerParser({
    takeInterim: () => false,
    isHeld: false,
    takeHead: taken => {
      head = taken
    },
    takeBody: (bytes, from, to) => void body.push(bytes.toString('latin1', from, to)),
  })
  parser.begin(isHeadRequest)
  try {
    // Its own copy: it moves chunks together.
    for (const piece of pieces) parser.read(Buffer.from(piece), 0, piece.length)
    if (!parser.close()) return { fault: 'reset' }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return { fault: error.kind }
  }
  const { status, headers } = head as unknown as ResponseHead
  return { status, headers, body: body.join('') }
}

describe('every case', () => {
  test.each(answerCases)('$name', ({ bytes, status, body, fault }) => {
    const whole = Buffer.from(bytes, 'latin1')
    const outcome = parse([whole])
    if (fault === undefined) expect(outcome).toMatchObject({ status, body })
    else expect(outcome).toEqual({ fault })
    // Whatever the cut, it is the same answer.
    for (let at = 1; at < whole.length; at++) {
      expect(parse([whole.subarray(0, at), whole.subarray(at)]), `cut at ${at}`).toEqual(outcome)
    }
    expect(parse([...whole].map(byte => Buffer.from([byte])))).toEqual(outcome)
  })

  it('an answer to HEAD has no body, whatever it announces', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')
    expect(parse([bytes], true)).toMatchObject({ status: 200, body: '' })
    expect(parse([bytes])).toEqual({ fault: 'reset' })
  })

  it('a head, an extension, trailers and interim answers have an end', () => {
    const filler = 'x-filler: yyyyyyyyyyyyyyyyyyyy\r\n'.repeat(600)
    const chunks = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const faultOf = (text: string) => [parse([Buffer.from(text)]).fault, parse(inPieces(text, 7)).fault]
    expect(faultOf(`HTTP/1.1 200 OK\r\n${filler}`)).toEqual(['too_large', 'too_large'])
    expect(faultOf(`${chunks}0\r\n${filler}`)).toEqual(['too_large', 'too_large'])
    expect(faultOf(`${chunks}5;${'a'.repeat(20_000)}`)).toEqual(['protocol', 'protocol'])
    expect(faultOf('HTTP/1.1 103 E\r\n\r\n'.repeat(200))).toEqual(['protocol', 'protocol'])
  })

  it('a header given twice is a list, and none becomes a prototype', () => {
    const text = 'HTTP/1.1 200 OK\r\nx-a: 1\r\n__proto__: 2\r\n__proto__: 3\r\nX-A: 4\r\ncontent-length: 0\r\n\r\n'
    const { headers = {} } = parse([Buffer.from(text)])
    expect(headers).toEqual({ 'x-a': ['1', '4'], 'content-length': '0' })
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
  })
})

function inPieces(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

/** Both clients against one far end that says the given bytes to whoever connects, and closes. */
async function startScripted() {
  let script = ''
  const port = await serve(
    createServer((socket: Socket) => void socket.once('data', () => socket.end(Buffer.from(script, 'latin1')))),
  )
  const outbound = outboundWith('127.0.0.1')
  return {
    say: (bytes: string) => {
      script = bytes
    },
    async ours(): Promise<Outcome> {
      try {
        const { status, headers, body } = await outbound.send(request(`http://127.0.0.1:${port}/`))
        return { status, headers, body: body.toString('latin1') }
      } catch (error) {
        if (!(error instanceof OutboundFailure)) throw error
        return { fault: error.kind }
      }
    },
    async undicis(): Promise<Outcome> {
      const client = new Client(`http://127.0.0.1:${port}`)
      try {
        const { statusCode, headers, body } = await client.request({ path: '/', method: 'POST', body: 'x' })
        return {
          status: statusCode,
          headers: trimmed(headers),
          body: Buffer.from(await body.arrayBuffer()).toString('latin1'),
        }
      } catch (error) {
        return { fault: exchangeFailure(error).kind }
      } finally {
        await client.destroy()
      }
    },
  }
}

/** It leaves the blanks behind a value, which are no part of it. */
function trimmed(headers: Record<string, unknown>): Record<string, unknown> {
  const trim = (value: unknown): unknown => (Array.isArray(value) ? value.map(trim) : String(value).trimEnd())
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, trim(value)]))
}

describe('beside undici', () => {
  it('the cases: the same answers, and where they differ, ours is the stricter one', async () => {
    const scripted = await startScripted()
    const lenient: string[] = []
    for (const { name, bytes, body, fault, undiciRefuses } of answerCases) {
      scripted.say(bytes)
      const [ours, undicis] = await Promise.all([scripted.ours(), scripted.undicis()])
      if (undiciRefuses) {
        expect(ours, name).toMatchObject({ body })
        expect(undicis.fault, name).toBeDefined()
      } else if (fault === undefined) expect(ours, name).toEqual(undicis)
      else {
        expect(ours, name).toEqual({ fault })
        if (undicis.fault === undefined) lenient.push(name)
      }
    }
    expect(lenient).toEqual(answerCases.filter(({ isOursAlone }) => isOursAlone).map(({ name }) => name))
  })

  it('broken answers: none is taken that undici refuses, and none is read differently', async () => {
    const scripted = await startScripted()
    const tally = { both: 0, neither: 0, oursAlone: 0 }
    const check = async (bytes: string) => {
      scripted.say(bytes)
      const [ours, undicis] = await Promise.all([scripted.ours(), scripted.undicis()])
      if (ours.fault !== undefined) {
        tally[undicis.fault === undefined ? 'oursAlone' : 'neither']++
        return
      }
      tally.both++
      // Ours knows no redirect and nothing compressed; all else must be the same.
      expect({ bytes, ...ours }).toEqual({ bytes, ...undicis })
    }
    const numRuns = inject('prove') ? 20_000 : 600
    await fc.assert(fc.asyncProperty(brokenAnswers(), check), { numRuns, endOnFailure: true })
    // A generator that only breaks, or never does, would prove nothing.
    expect(tally.both).toBeGreaterThan(numRuns / 10)
    expect(tally.neither).toBeGreaterThan(numRuns / 10)
    expect(tally.oursAlone).toBeLessThan(numRuns / 10)
  })

  it('broken answers at random cuts are what they are whole', () => {
    const numRuns = inject('prove') ? 50_000 : 3_000
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(brokenAnswers(), cuts, (text, sizes) => {
        const bytes = Buffer.from(text, 'latin1')
        const pieces: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length]!
          pieces.push(bytes.subarray(at, at + size))
          at += size
        }
        expect(parse(pieces)).toEqual(parse([bytes]))
      }),
      { numRuns },
    )
  })
})
