// Where the schemas of tools and answers stand in a chat completion's request.

import { createTextCarrier } from '../../domain/json/carry-texts.ts'
import type { JsonPlace } from '../../domain/json/json-places.ts'

const object: JsonPlace = { holds: 'object' }

export const { carryBody } = createTextCarrier({
  members: {
    tools: { items: { members: { function: { members: { parameters: object } } } } },
    response_format: { members: { json_schema: { members: { schema: object } } } },
  },
})
