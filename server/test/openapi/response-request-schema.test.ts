// The documented body of a request for a response accepts exactly what the reader accepts, value by value.
import { describe, expect, test } from 'vitest'
import { responsesEndpoint } from '../../src/surfaces/responses/responses.ts'
import { createComparison } from './schema-comparison.ts'

const { request, schemas } = responsesEndpoint.description
const { compare, isRead } = createComparison(responsesEndpoint)

const text = { type: 'input_text', text: 'x' }
const format = (value: object) => ({ format: value })
const values: unknown[] = [
  ...[
    undefined,
    null,
    true,
    false,
    '',
    'x',
    'low',
    'auto',
    'required',
    'function',
    'message',
    'user',
    'resp_1',
    'resp_/',
  ],
  ...[0, 1, -1, 2, 3, 0.5, 1e300, 2 ** 53],
  ...[[], ['x'], [1], [null], [{}], [[]], [text], [text, { type: 'input_text' }], [{ type: 'new' }]],
  ...[{}, { a: 'b' }, { a: 1 }, { ['a'.repeat(65)]: 'b' }, { a: 'b'.repeat(513) }],
  ...[{ type: 'function', name: 'f' }, { type: 'function' }, { type: 'web_search' }, { type: 1 }],
  ...[{ type: 'allowed_tools', tools: [] }, { type: 'allowed_tools' }, { type: 'allowed_tools', mode: 'x', tools: [] }],
  ...[[{ type: 'function', name: 'f' }], [{ type: 'function' }], [{ name: 'f' }], [{ type: 'web_search' }]],
  ...[[{ type: 'function', name: 'f', strict: null }], [{ type: 'function', name: 'f', parameters: 1 }]],
  ...[
    format({ type: 'text' }),
    format({ type: 'json_object' }),
    format({ type: 'json_schema' }),
    format({ type: 'x' }),
  ],
  ...[
    format({ type: 'json_schema', name: 's' }),
    format({ type: 'json_schema', name: 's', schema: 1 }),
    { format: null },
  ],
  ...[{ effort: 'low' }, { effort: 'x' }, { effort: null, summary: 'auto' }],
  ...[[{ type: 'output_text', text: 'x' }], [{ type: 'refusal', refusal: 'x' }], [{ type: 'refusal' }]],
  ...[[{ type: 'input_image', image_url: 'x' }], [{ type: 'input_image', file_id: 'x', detail: null }]],
  ...[[{ type: 'input_image' }], [{ type: 'input_image', image_url: 'x', detail: 1 }]],
  ...[
    [{ type: 'input_file', file_id: 'x' }],
    [{ type: 'input_file', file_url: 'x', filename: 1 }],
    [{ type: 'input_file' }],
  ],
  ...[[{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }], [{ type: 'input_audio', input_audio: {} }]],
  ...[
    [{ role: 'user', content: 'x' }],
    [{ role: 'user' }],
    [{ role: 'nobody', content: 'x' }],
    [{ type: 'item_reference' }],
  ],
]
const items: Record<string, Record<string, unknown>> = {
  message: { type: 'message', role: 'user', content: 'x' },
  'message without a type': { role: 'assistant', content: [text] },
  function_call: { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
  function_call_output: { type: 'function_call_output', call_id: 'c', output: 'x' },
  reasoning: { type: 'reasoning', id: 'rs_1', summary: [] },
  web_search_call: { type: 'web_search_call', id: 'ws_1' },
}
const itemFields = ['type', 'role', 'content', 'call_id', 'name', 'arguments', 'output', 'summary', 'encrypted_content']
const fields = [...Object.keys((schemas['ResponseRequest']?.['properties'] ?? {}) as object), 'unknown']
/** Fields that accept any value. */
const free = ['unknown', 'user', 'safety_identifier']

describe('the schema and the reader agree', () => {
  test.each(fields)('on %s', async field => {
    const { accepted, rejected } = await compare(values.map(value => ({ input: 'x', [field]: value })))
    expect(accepted).toBeGreaterThan(0)
    expect(rejected > 0).toBe(!free.includes(field))
  })

  test.each(Object.keys(items))('on each field of an item: %s', async name => {
    const bodies = itemFields.flatMap(field => values.map(value => ({ input: [{ ...items[name], [field]: value }] })))
    expect((await compare(bodies)).rejected).toBeGreaterThan(30)
  })
})

test('every example of a request is accepted by the reader', async () => {
  for (const { summary, value } of Object.values(request.examples))
    expect([summary, await isRead(value)]).toEqual([summary, true])
})
