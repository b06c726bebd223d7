// Any prompt with any values: what reaches the provider is, byte for byte, what the same messages written out would be:
// masked, remembered and cached alike, on every surface, with every provider.
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type AnyWire, everyWire, type SurfaceName, surfaces } from '../every-wire.ts'
import { card, mail, maskAll } from '../guard/guard-stage.ts'
import type { Stage, TestProject } from '../inference-stage.ts'
import { cached, cacheHeader, openWireStage, writeWhole } from '../wire-stage.ts'
import { deploy, putPrompt } from './prompt-stage.ts'

const numRuns = inject('prove') ? 50 : 3

interface Message {
  role: string
  content: string
}

interface Sample {
  messages: Message[]
  values: Record<string, string>
  own: string
  temperature: number | undefined
}

const names = ['a', 'b_1', 'Topic'] as const
const piece = fc.oneof(
  fc.constantFrom('{{a}}', '{{ b_1 }}', '{{Topic}}', '{{', '}}', '$&', '"', '\\', '\u2028', '\n', mail, `card ${card}`),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map(pieces => `x ${pieces.join(' ')}`)
const samples: fc.Arbitrary<Sample> = fc.record({
  messages: fc
    .array(fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: text }), { maxLength: 3 })
    // Providers want the last one to be the user's.
    .map(messages => [
      { role: 'system', content: 'Be {{a}}.' },
      ...messages,
      { role: 'user', content: 'Go, {{Topic}}!' },
    ]),
  values: fc.record({ a: text, b_1: text, Topic: text }),
  own: text,
  temperature: fc.constantFrom(undefined, 0, 0.5),
})

/** The messages as a client would write them out. */
function writeOut({ messages, values }: Sample): Message[] {
  return messages.map(({ role, content }) => ({
    role,
    content: content.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values[name] ?? whole),
  }))
}

/** Without references to variables that there are none of. */
function isDefined({ messages }: Sample): boolean {
  const used = messages.flatMap(({ content }) =>
    [...content.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name),
  )
  return used.every(name => (names as readonly string[]).includes(name))
}

/** The request that names the prompt, and the same written out. */
function pairOf(surface: SurfaceName, sample: Sample, id: string): [object, object] {
  const prompt = { id, variables: sample.values }
  const own = [{ role: 'user', content: sample.own }]
  const all = [...writeOut(sample), ...own]
  const temperature = sample.temperature === undefined ? {} : { temperature: sample.temperature }
  if (surface === 'chat completions')
    return [
      { prompt, messages: own },
      { messages: all, ...temperature },
    ]
  if (surface === 'responses')
    return [
      { prompt, input: own, store: false },
      { input: all, store: false, ...temperature },
    ]
  const first = all.findIndex(({ role }) => role !== 'system')
  const leading = all.slice(0, first).map(({ content }) => content)
  const system = leading.length === 1 ? leading[0] : leading.map(content => ({ type: 'text', text: content }))
  return [
    { metadata: { prompt }, max_tokens: 50, messages: own },
    { max_tokens: 50, messages: all.slice(first), system, ...temperature },
  ]
}

let stage: Stage
beforeAll(async () => {
  // It confirms the access keys of AWS, too.
  const wires = await openWireStage({})
  stage = wires.stage
  return wires.stop
})

async function askedBy(project: TestProject, surface: SurfaceName, body: object, thread: string): Promise<string> {
  const before = stage.upstream.requests.length
  const headers = { 'x-thread-id': thread }
  const answer = await project.ask('POST', surfaces[surface].path, { body, headers })
  expect(answer.status, answer.text).toBe(200)
  const [asked, ...others] = stage.upstream.requests.slice(before).filter(({ method }) => method === 'POST')
  expect(others).toEqual([])
  return `${asked?.path} ${asked?.body}`
}

const followUps: Record<SurfaceName, object> = {
  'chat completions': surfaces['chat completions'].ask('And then?'),
  messages: surfaces.messages.ask('And then?'),
  responses: surfaces.responses.ask('And then?'),
}

let made = 0

async function expectAlike(project: TestProject, surface: SurfaceName, sample: Sample): Promise<void> {
  const id = `p${++made}`
  const variables = Object.fromEntries(names.map(name => [name, { type: 'string' }]))
  const params = sample.temperature === undefined ? {} : { temperature: sample.temperature }
  await putPrompt(stage, project, id, { messages: sample.messages, variables, params })
  await deploy(stage, project)
  const [withPrompt, plain] = pairOf(surface, sample, id)
  const turns = async (body: object, thread: string) => [
    await askedBy(project, surface, body, thread),
    await askedBy(project, surface, followUps[surface], thread),
  ]
  const asked = await turns(withPrompt, `with-${id}`)
  expect(asked[0]).not.toContain(mail)
  expect(await turns(plain, `without-${id}`)).toEqual(asked)
}

describe.each(everyWire.map(wire => [wire.name, wire] as const))('%s', (_name, wire: AnyWire) => {
  const open = async (settings: Record<string, unknown>) => {
    const project = await wire.makeProject(stage, settings)
    stage.upstream.on('*', { write: response => writeWhole(response, wire, false) })
    // The token of a cloud is fetched once.
    const [first] = wire.surfaces
    if (first !== undefined) await project.ask('POST', surfaces[first].path, { body: surfaces[first].ask('Hello') })
    return project
  }

  test.each(wire.surfaces)('%s: masked and remembered alike', async surface => {
    const project = await open({ ...maskAll, memory_enabled: true })
    await fc.assert(
      fc.asyncProperty(samples.filter(isDefined), sample => expectAlike(project, surface, sample)),
      { numRuns },
    )
  })

  test.each(wire.surfaces)('%s: cached alike', async surface => {
    const project = await open({ ...cached, memory_enabled: false })
    const [sample] = fc.sample(samples.filter(isDefined), { numRuns: 1, seed: 7 })
    if (sample === undefined) throw new Error('there is no sample')
    const fixed = { ...sample, temperature: 0 }
    const variables = Object.fromEntries(names.map(name => [name, { type: 'string' }]))
    await putPrompt(stage, project, 'cached', { messages: fixed.messages, variables, params: { temperature: 0 } })
    await deploy(stage, project)
    const [withPrompt, plain] = pairOf(surface, fixed, 'cached')
    const ask = (body: object) => project.ask('POST', surfaces[surface].path, { body })
    expect((await ask(withPrompt)).headers[cacheHeader]).toBe('miss')
    expect((await ask(plain)).headers[cacheHeader]).toBe('hit')
    expect((await ask(withPrompt)).headers[cacheHeader]).toBe('hit')
  })
})
