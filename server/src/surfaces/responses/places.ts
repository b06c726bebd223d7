// Where texts, arguments and schemas stand in a request for a response.

import { createTextCarrier } from '../../domain/json/carry-texts.ts'
import type { JsonPlace } from '../../domain/json/json-places.ts'

const text: JsonPlace = { holds: 'text' }
const object: JsonPlace = { holds: 'object' }
const content: JsonPlace = { holds: 'text', items: { members: { text, refusal: text } } }

export const responsePlaces: JsonPlace = {
  members: {
    instructions: text,
    input: {
      holds: 'text',
      items: { members: { content, output: content, summary: content, arguments: { holds: 'call' } } },
    },
    tools: { items: { members: { parameters: object } } },
    text: { members: { format: { members: { schema: object } } } },
  },
}

export const { carryBody } = createTextCarrier(responsePlaces)
