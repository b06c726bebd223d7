// The splitter of event streams: the grammar, every cut of it, and what is too long or no text.

import { describe, expect, it } from 'vitest'
import { EventFormatError, EventReader, type ServerEvent } from '../../src/http/event-reader.ts'
import { cutsOf } from '../providers/protocols/cuts.ts'
import { processorMsOf } from '../support/slowness.ts'

interface ReadEvent {
  name: string
  data: string
  raw: string
}

function read(pieces: Iterable<Uint8Array>, maxEventBytes = 1_000_000): { events: ReadEvent[]; stray: string } {
  const events: ReadEvent[] = []
  const reader = new EventReader(keep, { maxEventBytes })
  function keep({ name, data, raw }: ServerEvent) {
    events.push({ name, data, raw: Buffer.from(raw).toString() })
  }
  for (const piece of pieces) {
    reader.push(piece)
    piece.fill(0x78)
  }
  reader.end()
  return { events, stray: reader.strayText() }
}

function readText(text: string): ReadEvent[] {
  return read([Buffer.from(text)]).events
}

describe('the grammar of events', () => {
  it.each<[string, string, { name: string; data: string }[]]>([
    ['an event', 'data: a\n\n', [{ name: '', data: 'a' }]],
    ['no space behind the colon', 'data:a\n\n', [{ name: '', data: 'a' }]],
    ['a second space is part of the value', 'data:  a\n\n', [{ name: '', data: ' a' }]],
    ['a name', 'event: ping\ndata: {}\n\n', [{ name: 'ping', data: '{}' }]],
    [
      'the name holds for one event',
      'event: x\ndata: 1\n\ndata: 2\n\n',
      [
        { name: 'x', data: '1' },
        { name: '', data: '2' },
      ],
    ],
    ['a name without data', 'event: x\n\ndata: 1\n\n', [{ name: '', data: '1' }]],
    ['two lines of data', 'data: a\ndata: b\n\n', [{ name: '', data: 'a\nb' }]],
    ['an empty line of data', 'data\n\n', [{ name: '', data: '' }]],
    ['comments', ': KEEP\n\n: x\ndata: 1\n: y\n\n', [{ name: '', data: '1' }]],
    ['id and retry', 'id: 7\nretry: 10\ndata: 1\n\n', [{ name: '', data: '1' }]],
    [
      'CRLF',
      'data: a\r\n\r\ndata: b\r\n\r\n',
      [
        { name: '', data: 'a' },
        { name: '', data: 'b' },
      ],
    ],
    [
      'CR alone',
      'data: a\r\rdata: b\r\r',
      [
        { name: '', data: 'a' },
        { name: '', data: 'b' },
      ],
    ],
    [
      'a mixture',
      'data: a\r\n\ndata: b\n\r\n',
      [
        { name: '', data: 'a' },
        { name: '', data: 'b' },
      ],
    ],
    ['a byte order mark', '\ufeffdata: a\n\n', [{ name: '', data: 'a' }]],
    [
      'no blank line at the end',
      'data: a\n\ndata: b\n',
      [
        { name: '', data: 'a' },
        { name: '', data: 'b' },
      ],
    ],
    [
      'no line end at the end',
      'data: a\n\ndata: b',
      [
        { name: '', data: 'a' },
        { name: '', data: 'b' },
      ],
    ],
    ['nothing', '', []],
    ['blank lines', '\n\n\r\n\n', []],
    ['longer and shorter field names', 'datas: x\ndat: y\ndata: z\n\n', [{ name: '', data: 'z' }]],
  ])('%s', (_, text, expected) => {
    expect(readText(text).map(({ name, data }) => ({ name, data }))).toEqual(expected)
  })

  it('hands over the bytes of each event, without the comments before it', () => {
    const [first, second] = readText(': hello\n\ndata: a\n\nevent: e\r\ndata: b\r\n\r\n')
    expect(first?.raw).toBe('data: a\n\n')
    expect(second?.raw).toBe('event: e\r\ndata: b\r\n\r\n')
  })

  it('keeps lines that are no field', () => {
    const { events, stray } = read([Buffer.from('data: 1\n\n{\n  "error": {\n    "code": 503\n  }\n}')])
    expect(events).toHaveLength(1)
    expect(JSON.parse(stray)).toEqual({ error: { code: 503 } })
  })
})

describe('§8.24 cuts', () => {
  const body = [
    ': OPENROUTER PROCESSING\n\n',
    'event: a\r\ndata: {"t":"größer 漢字 🦊"}\r\n\r\n',
    'data: one\ndata: two\r\n\n',
    'data: naïve\r\rdata: 🇺🇳\n\n',
    '{"error":\n "x"}\n',
    'data: [DONE]\n\n',
  ].join('')
  const whole = read([Buffer.from(body)])

  it('reads something at all', () => {
    expect(whole.events.map(({ data }) => data)).toEqual([
      '{"t":"größer 漢字 🦊"}',
      'one\ntwo',
      'naïve',
      '🇺🇳',
      '[DONE]',
    ])
  })

  it.each(cutsOf(body, 100).map(cut => [cut.name, cut] as const))('%s', (_, { pieces }) => {
    expect(read(pieces)).toEqual(whole)
  })

  it('leaves the bytes of events alone that it has handed over', () => {
    const kept: Uint8Array[] = []
    const reader = new EventReader(({ raw }) => kept.push(raw), { maxEventBytes: 1000 })
    for (let index = 0; index < 200; index++) {
      const text = Buffer.from(`data: ${index}\n\nda`)
      reader.push(index === 0 ? text : text.subarray(2))
    }
    expect(kept.map(raw => Buffer.from(raw).toString())).toEqual(kept.map((_, index) => `data: ${index}\n\n`))
  })
})

describe('what cannot be read', () => {
  it('refuses bytes that are no text, after the events before them', () => {
    const body = Buffer.concat([Buffer.from('data: a\n\ndata: '), Buffer.from([0xc3, 0x28]), Buffer.from('\n\n')])
    const read: string[] = []
    const reader = new EventReader(({ data }) => read.push(data), { maxEventBytes: 1000 })
    expect(() => reader.push(body)).toThrow(EventFormatError)
    expect(read).toEqual(['a'])
  })

  it('refuses an event that is too long, whole or not', () => {
    const long = `data: ${'x'.repeat(2000)}`
    for (const text of [long, `${long}\n\n`, `${'data: x\n'.repeat(200)}\n`]) {
      expect(() => read([Buffer.from(text)], 1000)).toThrow(EventFormatError)
      expect(() => read(cutsOf(text, 0)[1]?.pieces ?? [], 1000)).toThrow(EventFormatError)
    }
  })

  it('takes events that are long together', () => {
    expect(read([Buffer.from(`data: ${'x'.repeat(900)}\n\n`.repeat(10))], 1000).events).toHaveLength(10)
  })

  it('reads a line of megabytes in small pieces without reading it again and again', () => {
    const piece = Buffer.alloc(1024, 'x')
    const pieces = [
      Buffer.from('data: '),
      ...Array.from({ length: 4096 }, () => Buffer.from(piece)),
      Buffer.from('\n\n'),
    ]
    const tookMs = processorMsOf(() => expect(read(pieces, 8_000_000).events[0]?.data).toHaveLength(4096 * 1024))
    expect(tookMs).toBeLessThan(2000)
  })
})
