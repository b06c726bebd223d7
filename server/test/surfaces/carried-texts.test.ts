// Tests that arguments of calls and schemas of tools reach the other side as they were written, whatever formats client
// and provider have: no digit, escape or repeated member is lost. With masked values, a provider of the client's own
// format gets every other byte of the request unchanged.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'
import { makeProjectOf, type ProviderWire, scriptKeyChecks, sixWires } from '../inference/six-wires.ts'
import {
  askWith,
  carries,
  digits,
  escaped,
  randomObject,
  randomValue,
  type SurfaceName,
  surfaces,
} from './carried-texts-stage.ts'

const rounds = 3
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
    const text = await askWith(stage, projects.get(provider), surface, { args, schema, isStreamed })
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
