// Tests how the turns of a conversation and their parts are written for Anthropic.
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { adaptive, call, hi, result, said, use, weather, written } from './request-stage.ts'

const answer = (id: string, text = 'Sunny') => ({ type: 'tool_result', tool_use_id: id, content: [said(text)] })

describe('turns', () => {
  it('joins leading instructions, whatever they are called', () => {
    const messages = [{ role: 'system', content: 'A' }, { role: 'developer', content: [said('B')] }, hi]
    expect(written({ messages })).toMatchObject({ system: 'A\n\nB', messages: [{ role: 'user' }] })
  })

  it('takes instructions alone as the question', () => {
    expect(written({ messages: [{ role: 'system', content: 'A' }] }).messages).toEqual([
      { role: 'user', content: [said('A')] },
    ])
  })

  it('puts later instructions where the model takes them', () => {
    const messages = [hi, { role: 'system', content: 'Short!' }, { role: 'assistant', content: 'Yo' }, hi]
    expect(written({ messages }).messages[0]).toEqual({ role: 'user', content: [said('Hi'), said('Short!')] })
    expect(written({ messages }, 'claude-opus-4-8').messages.map(({ role }) => role)).toEqual([
      'user',
      'system',
      'assistant',
      'user',
    ])
    const misplaced = [hi, { role: 'assistant', content: 'Yo' }, { role: 'system', content: 'Short!' }, hi]
    expect(written({ messages: misplaced }, 'claude-opus-4-8').messages[2]).toEqual({
      role: 'user',
      content: [said('Short!'), said('Hi')],
    })
  })

  it('§8.6 gathers all results of a turn in one message, before any text', () => {
    const messages = [
      hi,
      { role: 'assistant', content: 'Looking.', tool_calls: [call('a'), call('b')] },
      result('a', 'one'),
      { role: 'user', content: 'And?' },
      result('b', 'two'),
    ]
    expect(written({ messages, tools: [weather] }).messages.slice(1)).toEqual([
      { role: 'assistant', content: [said('Looking.'), use('a'), use('b')] },
      { role: 'user', content: [answer('a', 'one'), answer('b', 'two'), said('And?')] },
    ])
  })

  test.each([null, '', ' \n', [said('')]])('§8.7 writes no empty block for content %j beside calls', content => {
    const messages = [hi, { role: 'assistant', content, tool_calls: [call('a')] }, result('a')]
    expect(written({ messages, tools: [weather] }).messages[1]).toEqual({ role: 'assistant', content: [use('a')] })
  })

  it('writes arguments as an object, and refuses what is none', () => {
    const turn = (args: string) => [
      hi,
      { role: 'assistant', content: null, tool_calls: [call('a', args)] },
      result('a'),
    ]
    expect(written({ messages: turn('') }).messages[1]?.content[0]).toMatchObject({ input: {} })
    for (const args of ['{"city":', '[1]', '"x"']) {
      expect(() => written({ messages: turn(args) })).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    }
  })

  it('keeps ids that are allowed, and changes others in call and result alike', () => {
    const ids = ['toolu_01', 'functions.weather:0', 'ü', 'x'.repeat(200), 'call 7']
    const messages = [
      hi,
      { role: 'assistant', content: null, tool_calls: ids.map(id => call(id)) },
      ...ids.map(id => result(id, id)),
    ]
    const [, calls, results] = written({ messages, tools: [weather] }).messages
    const written_ = calls?.content.map(({ id }) => String(id)) ?? []
    expect(written_[0]).toBe('toolu_01')
    expect(new Set(written_).size).toBe(ids.length)
    for (const id of written_) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(results?.content).toEqual(ids.map((id, index) => answer(written_[index] ?? '', id)))
  })

  it('tells calls apart that come under one id again', () => {
    const turn = [{ role: 'assistant', content: null, tool_calls: [call('a')] }, result('a')]
    const { messages } = written({ messages: [hi, ...turn, ...turn, ...turn], tools: [weather] })
    const ids = messages.flatMap(({ content }) => content.flatMap(({ id }) => (id === undefined ? [] : [id])))
    expect(new Set(ids).size).toBe(3)
    const answered = messages.flatMap(({ content }) => content.flatMap(block => block['tool_use_id'] ?? []))
    expect(answered).toEqual(ids)
  })

  it('mends calls without results and results without calls', () => {
    const messages = [result('lost', 'Rain'), { role: 'assistant', content: null, tool_calls: [call('a')] }, hi]
    expect(written({ messages, tools: [weather] }).messages).toEqual([
      { role: 'user', content: [said('The result of a tool:'), said('Rain')] },
      { role: 'assistant', content: [use('a')] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: 'No result.', is_error: true }, said('Hi')],
      },
    ])
  })

  it('begins with the user', () => {
    const { messages } = written({ messages: [{ role: 'assistant', content: 'Hello' }, hi] })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it("lets older models go on with an assistant's text, and tells newer ones to", () => {
    const messages = [hi, { role: 'assistant', content: 'Once upon ' }]
    expect(written({ messages }).messages.at(-1)).toEqual({ role: 'assistant', content: [said('Once upon')] })
    const mustAsk = [written({ messages }, adaptive), written({ messages, reasoning_effort: 'low' })]
    for (const body of mustAsk) expect(body.messages.at(-1)).toEqual({ role: 'user', content: [said('Continue.')] })
  })

  it('refuses a conversation without a word', () => {
    const refused = expect.objectContaining({ code: 'invalid_request' })
    expect(() => written({ messages: [{ role: 'user', content: ' ' }] })).toThrow(refused)
  })
})

describe('parts', () => {
  const content = (...parts: JsonObject[]) =>
    written({ messages: [{ role: 'user', content: parts }] }).messages[0]?.content
  const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } })
  const file = (file_data: string, filename?: string) => ({ type: 'file', file: { file_data, filename } })

  it('passes addresses on and takes data apart', () => {
    expect(content(image('https://example.com/a.png'), image('data:image/jpg;base64,AAAA'))).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
    ])
  })

  it('writes documents', () => {
    expect(
      content(
        file('data:application/pdf;base64,AAAA', 'a.pdf'),
        file('https://example.com/b.pdf'),
        file('data:text/plain,two%20words'),
        file('data:image/png;base64,AAAA'),
      ),
    ).toEqual([
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://example.com/b.pdf' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'two words' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ])
  })

  it('keeps pictures in results, and leaves out what was the assistant’s', () => {
    const messages = [
      hi,
      { role: 'assistant', content: [said('See'), image('https://example.com/a.png')], tool_calls: [call('a')] },
      result('a', [image('https://example.com/b.png')]),
    ]
    const [, assistant, user] = written({ messages, tools: [weather] }).messages
    expect(assistant?.content).toEqual([said('See'), use('a')])
    expect(user?.content[0]?.['content']).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.com/b.png' } },
    ])
  })

  test.each([
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'video_url', video_url: { url: 'https://example.com' } },
    { type: 'file', file: { file_id: 'file_of_somebody' } },
    { type: 'image_url', image_url: { url: 'data:nonsense' } },
  ])('refuses $type', part => {
    expect(() => content(part)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})
