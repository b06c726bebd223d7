// Reads the event stream of a message as strictly as its grammar is written, and builds the message that a client
// builds. Imports no source file.
import { expect } from 'vitest'

export interface Event {
  type: string
  [field: string]: unknown
}

export interface ReadMessage {
  id: string
  content: { type: string; [field: string]: unknown }[]
  stop_reason: string | null
  usage: Record<string, number>
  [field: string]: unknown
}

/** The events of a complete stream, besides pings. Fails if they break the grammar. */
export function grammarOf(text: string): Event[] {
  const frames = text.split('\n\n').filter(frame => frame !== '' && !frame.startsWith(':'))
  const events = frames.map(frame => {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
    const event = JSON.parse(data ?? 'null') as Event
    expect(event?.type, frame).toBe(name)
    return event
  })
  const said = events.filter(({ type }) => type !== 'ping')
  let open: number | null = null
  let next = 0
  for (const [at, event] of said.entries()) {
    const { type, index } = event
    const isFirst = type === 'message_start'
    expect(isFirst, `${at} ${type}`).toBe(at === 0)
    if (type === 'content_block_start') {
      expect(open, 'one block at a time').toBeNull()
      expect(index).toBe(next)
      open = next++
    } else if (type === 'content_block_delta') expect(index).toBe(open)
    else if (type === 'content_block_stop') {
      expect(index).toBe(open)
      open = null
    } else if (!isFirst) expect(open, type).toBeNull()
  }
  expect(said.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop'])
  return said
}

export function messageOf(events: readonly Event[]): ReadMessage {
  let message = { content: [] } as unknown as ReadMessage
  const json = new Map<number, string>()
  for (const { type, index, ...event } of events) {
    const block = message.content[Number(index)]
    if (type === 'message_start') message = structuredClone(event['message']) as ReadMessage
    else if (type === 'content_block_start') message.content.push({ ...(event['content_block'] as { type: string }) })
    else if (type === 'content_block_delta' && block !== undefined) {
      addDelta(block, event['delta'] as Event, piece =>
        json.set(Number(index), (json.get(Number(index)) ?? '') + piece),
      )
    } else if (type === 'message_delta') {
      Object.assign(message, event['delta'])
      message.usage = { ...message.usage, ...(event['usage'] as Record<string, number>) }
    }
  }
  for (const [index, text] of json) {
    if (text !== '') Object.assign(message.content[index] ?? {}, { input: inputOf(text) })
  }
  return message
}

/** Arguments that were cut off have no value. */
function inputOf(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}

function addDelta(block: Record<string, unknown>, delta: Event, addJson: (piece: string) => void): void {
  if (delta.type === 'text_delta') block['text'] = `${block['text']}${delta['text']}`
  else if (delta.type === 'thinking_delta') block['thinking'] = `${block['thinking']}${delta['thinking']}`
  else if (delta.type === 'signature_delta') block['signature'] = delta['signature']
  else if (delta.type === 'input_json_delta') addJson(String(delta['partial_json']))
  else if (delta.type === 'citations_delta') {
    block['citations'] = [...((block['citations'] as unknown[] | null) ?? []), delta['citation']]
  }
}
