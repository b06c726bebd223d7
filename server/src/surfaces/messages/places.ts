// Where texts, arguments and schemas stand in a request of /v1/messages.

import { createTextCarrier } from '../../domain/json/carry-texts.ts'
import type { JsonPlace } from '../../domain/json/json-places.ts'

const text: JsonPlace = { holds: 'text' }
const object: JsonPlace = { holds: 'object' }
/** A text, or blocks, which may contain blocks themselves: results of tools, and documents. */
const content: { holds: 'text'; items?: JsonPlace } = { holds: 'text' }
content.items = {
  members: {
    text,
    thinking: text,
    context: text,
    input: object,
    content,
    source: { members: { data: text, content } },
  },
}

export const messagePlaces: JsonPlace = {
  members: {
    system: content,
    messages: { items: { members: { content } } },
    tools: { items: { members: { input_schema: object } } },
    output_config: { members: { format: { members: { schema: object } } } },
  },
}

export const { carryBody } = createTextCarrier(messagePlaces)
