// What an answer cost is read the same wherever its bytes are cut, and never as anything but a whole number.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { openaiUsage } from '../../src/surfaces/openai-usage.ts'
import { delta } from '../gateway/forward/forward-stage.ts'

const { ofAnswer: usageOf, ofTail: readUsageAtEnd, ofStream: createStreamUsage } = openaiUsage
const usage = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 }
const usageChunk = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
const nullUsage = 'data: {"choices":[{"delta":{"content":"\\"usage\\": {\\"total_tokens\\": 9}"}}],"usage":null}\n\n'
const stream = Buffer.from(
  `: hello\n\n${delta('one')}${nullUsage}${delta('zwei ü 🙂')}event: x\ndata: {"a":1}\n\n${usageChunk}data: [DONE]\n\n`,
)

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function readIn(pieces: readonly Buffer[]) {
  const reader = createStreamUsage()
  for (const piece of pieces) reader.take(piece)
  return { tokens: reader.tokens(), events: reader.events() }
}

function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const borders = [0, ...positions.map(at => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end))
}

/** The same by the plainest way: whole lines, split and parsed. */
function readPlainly(text: string) {
  let [tokens, events, hasData]: [number | null, number, boolean] = [null, 0, false]
  const lines = text.split(/\r\n|\r|\n/)
  lines.pop()
  for (const line of lines) {
    if (line === '') {
      if (hasData) events++
      hasData = false
    } else if (line.startsWith('data:') && line.slice(5).trim() !== '[DONE]') {
      hasData = true
      const named = (JSON.parse(line.slice(5)) as { usage?: { total_tokens: number } | null }).usage
      tokens = named?.total_tokens ?? tokens
    }
  }
  return { tokens, events }
}

describe('of an event stream', () => {
  it('reads the same at every cut, and of every beginning only what is whole', () => {
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(stream.toString().replaceAll('\n', lineEnd))
      for (let at = 0; at <= bytes.length; at++) {
        const beginning = bytes.subarray(0, at)
        // A stream that is cut between CR and LF is cut behind a line end.
        expect(readIn([beginning]), `${JSON.stringify(lineEnd)} ${at}`).toEqual(
          readPlainly(beginning.toString('latin1')),
        )
        expect(readIn([beginning, bytes.subarray(at)])).toEqual({ tokens: 15, events: 5 })
      }
      expect(readIn([...bytes].map(byte => Buffer.from([byte])))).toEqual({ tokens: 15, events: 5 })
    }
  })

  it('reads the same in any pieces', () => {
    const lineEnds = fc.constantFrom('\n', '\r\n', '\r')
    const events = fc.array(
      fc.oneof(
        fc.string().map(delta),
        fc.nat(10_000).map(total => `data: ${JSON.stringify({ usage: { total_tokens: total } })}\n\n`),
        fc.constant('data:{"usage":null}\n\n'),
        fc.constant(': ping\n\n'),
        fc.constant('\n'),
        fc.constant('data: [DONE]\n\n'),
      ),
    )
    const property = fc.property(events, lineEnds, fc.array(fc.nat()), (parts, lineEnd, positions) => {
      const text = parts.join('').replaceAll('\n', lineEnd)
      expect(readIn(cut(Buffer.from(text), positions))).toEqual(readPlainly(text))
    })
    fc.assert(property, { numRuns: inject('prove') ? 20_000 : 300 })
  })

  it('takes the last usage, and reads a last line without an end once the stream has ended', () => {
    const reader = createStreamUsage()
    reader.take(
      Buffer.from('data: {"usage":{"total_tokens":3}}\n\ndata: {"usage":{"prompt_tokens":4,"completion_tokens":5}}'),
    )
    expect([reader.tokens(), reader.events()]).toEqual([3, 1])
    reader.end()
    expect([reader.tokens(), reader.events()]).toEqual([9, 2])
  })

  it('reads a comment that carries usage, for streams whose client did not ask for it', () => {
    expect(readIn([Buffer.from(`${delta('a')}: ${JSON.stringify({ usage })}\n\n`)])).toEqual({ tokens: 15, events: 1 })
  })

  it('reads the last event of a response, and nothing of the events before it', () => {
    const event = (response: object) => `event: x\ndata: ${JSON.stringify({ type: 'x', response })}\n\n`
    const tools = [{ parameters: { properties: { usage: { total_tokens: 1 } } } }]
    const last = event({ tools, usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 }, metadata: {} })
    expect(readIn([Buffer.from(event({ tools, usage: null }))])).toEqual({ tokens: null, events: 1 })
    expect(readIn([Buffer.from(event({ tools, usage: null }) + last)])).toEqual({ tokens: 18, events: 2 })
  })

  it('counts a line too long to be read, in bounded memory', async () => {
    const piece = Buffer.alloc(65_536, 'x')
    const reader = createStreamUsage()
    reader.take(Buffer.from('data: {"usage":{"total_tokens":3},"x":"'))
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 2_000; count++) reader.take(Buffer.from(piece))
    const growth = () => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers - before
    }
    await expect.poll(growth).toBeLessThan(1 << 20)
    reader.take(Buffer.from('"}\n\n'))
    expect([reader.tokens(), reader.events()]).toEqual([null, 1])
    reader.take(Buffer.from(usageChunk))
    expect([reader.tokens(), reader.events()]).toEqual([15, 2])
  })
})

describe('of a JSON answer', () => {
  it.each([
    ['the total', { total_tokens: 12 }, 12],
    ['the sum where no total is named', { prompt_tokens: 5, completion_tokens: 6 }, 11],
    ['the sum where the total is less', { prompt_tokens: 5, completion_tokens: 6, total_tokens: 0 }, 11],
    ['nothing of a negative number', { total_tokens: -1 }, null],
    ['nothing of a fraction', { total_tokens: 1.5 }, null],
    ['nothing of a text', { total_tokens: '12' }, null],
    ['nothing of a number beyond all sense', { total_tokens: 1e15 }, null],
    ['nothing of an empty object', {}, null],
    ['nothing of null', null, null],
    ['nothing of a list', [1], null],
    ['through nested objects and braces in texts', { details: { a: '}{"\\' }, total_tokens: 8 }, 8],
  ])('reads %s', (_name, value, expected) => {
    const answer = { id: 'x', choices: [{ message: { content: 'say "usage": {"total_tokens": 1}' } }], usage: value }
    expect(usageOf(answer)).toBe(expected)
    for (const text of [JSON.stringify(answer), JSON.stringify(answer, null, 2)]) {
      expect(readUsageAtEnd(Buffer.from(text))).toBe(expected)
      expect(readUsageAtEnd(Buffer.from(text.slice(30)))).toBe(expected)
    }
  })

  it('reads the usage of a response before the metadata, whose names the client chose', () => {
    const usage = { input_tokens: 11, input_tokens_details: { cached_tokens: 0 }, output_tokens: 7, total_tokens: 18 }
    const answer = { id: 'resp_1', usage, user: null, metadata: { usage: '{"total_tokens":1}', x: '"usage": {}' } }
    expect(usageOf(answer)).toBe(18)
    expect(readUsageAtEnd(Buffer.from(JSON.stringify(answer)))).toBe(18)
  })

  it('never throws and never reads anything but a whole number, whatever the bytes', () => {
    const bytes = fc.array(
      fc.oneof(
        fc.constantFrom('"usage"', ':', '{', '}', '"total_tokens":', '7', '"', '\\', '\n', 'data:'),
        fc.string(),
      ),
    )
    const property = fc.property(bytes, parts => {
      const buffer = Buffer.from(parts.join(''))
      for (const read of [readUsageAtEnd(buffer), readIn([buffer]).tokens]) {
        expect(read === null || (Number.isInteger(read) && read >= 0)).toBe(true)
      }
    })
    fc.assert(property, { numRuns: inject('prove') ? 50_000 : 1_000 })
  })
})
