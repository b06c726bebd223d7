// Tests that arguments of calls and schemas of tools reach the other side as they were written, whatever formats client
// and provider have: no digit, escape or repeated member is lost. With masked values, a provider of the client's own
// format gets every other byte of the request unchanged.
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'
import { makeProjectOf, type ProviderWire, scriptKeyChecks, sixWires } from '../inference/six-wires.ts'

const rounds = 3
const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)]!
const digits = (count: number) => Array.from({ length: count }, () => randomInt(1, 10)).join('')
const blanks = ['', '', ' ', '\n\t']

function randomValue(depth = 0): string {
  switch (randomInt(depth < 2 ? 8 : 6)) {
    case 0:
      return `${pick(['', '-'])}${digits(randomInt(1, 31))}`
    case 1:
      return pick(['1.0', '1e3', '-0', '1E+2', '0.10', '12345678901234567890.5', '1e400', 'true', 'null'])
    case 2:
      return pick(['"\\u0041\\u00e9"', '"a\\/b"', '"\\ud83d\\ude00"', '"😀 é"', '"\\"\\\\u0041\\""', '"\\u0000"'])
    case 3:
      return `"${digits(4)}"`
    case 4:
      return '[]'
    case 5:
      return '{ }'
    case 6:
      return randomObject(depth + 1)
    default:
      return `[${Array.from({ length: randomInt(4) }, () => randomValue(depth + 1)).join(pick([',', ' , ']))}]`
  }
}

/** Some of its members have one name. */
function randomObject(depth = 0): string {
  const members = Array.from({ length: randomInt(1, 6) }, () => {
    const name = pick(['id', 'a', '\\u0062', 'maximum', 'input', 'x y'])
    return `${pick(blanks)}"${name}"${pick(blanks)}:${pick(blanks)}${randomValue(depth)}`
  })
  return `{${members.join(',')}${pick(blanks)}}`
}

const escaped = (json: string) => JSON.stringify(json).slice(1, -1)
/** Whether the text says this as a value, or as a string with the value's text. */
const carries = (text: string, json: string) => text.includes(json) || text.includes(escaped(json))

interface Asked {
  args: string
  schema: string
  isStreamed: boolean
}

const surfaces = {
  'chat completions': {
    path: '/v1/chat/completions',
    body: ({ args, schema, isStreamed }: Asked) => `{"stream":${isStreamed},"messages":[{"role":"user","content":"Hi"},
      {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"${escaped(args)}"}}]},
      {"role":"tool","tool_call_id":"call_1","content":"ok"}],
      "tools":[{"type":"function","function":{"name":"find","parameters":${schema}}}]}`,
  },
  messages: {
    path: '/v1/messages',
    body: ({ args, schema, isStreamed }: Asked) => `{"stream":${isStreamed},"max_tokens":100,"messages":[
      {"role":"user","content":"Hi"},
      {"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"find","input":${args}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"ok"}]}],
      "tools":[{"name":"find","input_schema":${schema}}]}`,
  },
  responses: {
    path: '/v1/responses',
    body: ({ args, schema, isStreamed }: Asked) => `{"stream":${isStreamed},"store":false,"input":[
      {"role":"user","content":"Hi"},
      {"type":"function_call","call_id":"call_1","name":"find","arguments":"${escaped(args)}"},
      {"type":"function_call_output","call_id":"call_1","output":"ok"}],
      "tools":[{"type":"function","name":"find","parameters":${schema}}]}`,
  },
} as const
type SurfaceName = keyof typeof surfaces

let stage: Stage
const projects = new Map<string, TestProject>()

beforeAll(async () => {
  stage = await openStage('sqlite')
  scriptKeyChecks(stage)
  for (const wire of sixWires) projects.set(wire.provider, await makeProjectOf(stage, wire))
})
afterAll(() => stage.stop())
beforeEach(() => {
  stage.upstream.requests.length = 0
})

/** The provider's answer calls a tool with these arguments. */
function answerWith(wire: ProviderWire, args: string, isStreamed: boolean): void {
  const place = JSON.stringify({ place: 'of the arguments' })
  const scene = { calls: [{ id: 'call_2', name: 'find', input: JSON.parse(place) }], cutAt: 0 }
  const { body, ...answer } = wire.answer(scene, isStreamed)
  const text = (typeof body === 'string' ? body : JSON.stringify(body))
    .replaceAll(place, () => args)
    .replaceAll(escaped(place), () => escaped(args))
  for (const call of wire.calls) stage.upstream.on(call, { ...answer, body: text })
}

async function ask(project: TestProject | undefined, surface: SurfaceName, asked: Asked): Promise<string> {
  const { path, body } = surfaces[surface]
  const token = await project?.mint()
  const port = stage.harness.product.port
  const response = await fetch(`http://127.0.0.1:${port}/p/${project?.slug}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: body(asked),
  })
  return await response.text()
}

const pairs = sixWires.flatMap(wire =>
  (Object.keys(surfaces) as SurfaceName[]).flatMap(surface =>
    [false, true].map(isStreamed => [surface, wire.provider, isStreamed ? 'streamed' : 'plain', wire] as const),
  ),
)

test.each(pairs)('%s on %s, %s', async (surface, provider, mode, wire) => {
  const isStreamed = mode === 'streamed'
  for (let round = 0; round < rounds; round++) {
    const [args, given] = [randomObject(), randomObject()]
    // An event is one line.
    const answered = isStreamed ? given.replaceAll('\n', '') : given
    const schema = `{"type":"object","properties":{"id":{"maximum":${digits(25)},"enum":[${randomValue()}, 1.0]}}}`
    answerWith(wire, answered, isStreamed)
    stage.upstream.requests.length = 0
    const text = await ask(projects.get(provider), surface, { args, schema, isStreamed })
    const sent = stage.upstream.requests.find(({ method }) => method === 'POST')?.body ?? ''
    expect(carries(sent, args), `${args} in ${sent}`).toBe(true)
    expect(carries(sent, schema), `${schema} in ${sent}`).toBe(true)
    // OpenAI answers a request for a response in that format itself: its bytes are passed on.
    if (provider === 'openai' && surface === 'responses') continue
    expect(carries(text, answered), `${answered} in ${text}`).toBe(true)
  }
})

describe('with masked values, a provider of the same format gets all else as it was', () => {
  const mail = 'ann\\u0040example.com'
  const masking = { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'MASK' } }
  const args = '{"to" : "ann@example.com", "id":12345678901234567890,"id":1.0 }'
  const schema = '{"type":"object", "maximum":12345678901234567890}'

  test.each([
    [
      'anthropic',
      '/v1/messages',
      `{"max_tokens":100, "top_k":1e1,"system":[{"type":"text","text":"For \\u0041 ${mail}"}],
      "messages":[{"role":"user","content":"\\u0048i ${mail}, and\\/or ${mail}\\u0021"},
      {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f", "input":{"to" : "${mail}", "id":1.0 }}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"\\u0041 ${mail}"}]},
      {"type":"document","source":{"type":"text","media_type":"text/plain","data":"of ${mail}"},"n":1e2}]}],
      "tools":[{"name":"f","input_schema":${schema}}]}`,
    ],
    [
      'openai',
      '/v1/responses',
      `{"store":false,"instructions":"For \\u0041 ${mail}", "metadata":{"a":"\\u0041"},"input":[
      {"role":"user","content":[{"type":"input_text", "text":"\\u0048i ${mail}, and\\/or ${mail}\\u0021"}]},
      {"type":"function_call","call_id":"c","name":"f","arguments":"${escaped(args)}"},
      {"type":"function_call_output", "call_id":"c","output":"\\u0041 ${mail}"}],
      "tools":[{"type":"function","name":"f","parameters":${schema}}]}`,
    ],
  ])('%s', async (provider, path, body) => {
    const wire = sixWires.find(one => one.provider === provider)
    if (wire === undefined) throw new Error('no such wire')
    const project = await makeProjectOf(stage, wire, masking)
    stage.upstream.requests.length = 0
    await project.ask('POST', path, { body })
    const sent = stage.upstream.requests.at(-1)?.body ?? ''
    expect(sent).toMatch(/<EMAIL_ADDRESS_[0-9a-f]+>/)
    const unmasked = sent.replaceAll(/<EMAIL_ADDRESS_[0-9a-f]+>/g, mail)
    const withPlain = body.replaceAll('ann@example.com', mail)
    // The members that the gateway sets come last, or in place of the client's.
    const kept = withPlain.slice(0, -1).replace('"store":false', '')
    expect(unmasked.replace('"store":false', '')).toContain(kept)
  })
})
