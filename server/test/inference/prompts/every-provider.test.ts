// What reaches a provider is, byte for byte, what the same messages written out would be: on every surface, with every
// provider, plain and streamed.
import { beforeAll, describe, expect, test } from 'vitest'
import { type AnyWire, everyWire, type SurfaceName, surfaces } from '../every-wire.ts'
import type { Stage, TestProject } from '../inference-stage.ts'
import { openWireStage } from '../wire-stage.ts'
import { deployTutor, named, tutor, written } from './prompt-stage.ts'

const params = {
  temperature: 0.25,
  max_tokens: 321,
  tools: [{ type: 'function', function: { name: 'look_up', description: 'Looks up', parameters: { type: 'object' } } }],
}
const [system, begin] = written('maths') as [{ role: string; content: string }, object]
const hi = { role: 'user', content: 'Hi \u00e9' }
const described = { name: 'look_up', description: 'Looks up' }

/** A request with the prompt, and the same written out: its own members first, as the client orders them. */
const pairs: Record<SurfaceName, { prompt: object; plain: object; added: object }> = {
  'chat completions': {
    prompt: { prompt: named, messages: [hi] },
    plain: { messages: [system, begin, hi] },
    added: params,
  },
  messages: {
    prompt: { messages: [hi], metadata: { prompt: named } },
    plain: { messages: [begin, hi] },
    added: {
      system: system.content,
      temperature: 0.25,
      tools: [{ ...described, input_schema: { type: 'object' } }],
      max_tokens: 321,
    },
  },
  responses: {
    prompt: { prompt: named, input: [hi], store: false },
    plain: { input: [system, begin, hi], store: false },
    added: {
      temperature: 0.25,
      max_output_tokens: 321,
      tools: [{ type: 'function', ...described, parameters: { type: 'object' } }],
    },
  },
}

let stage: Stage
beforeAll(async () => {
  // It confirms the access keys of AWS, too.
  const wires = await openWireStage({})
  stage = wires.stage
  return wires.stop
})

async function bytesAsked(project: TestProject, path: string, body: object): Promise<string> {
  const before = stage.upstream.requests.length
  const answer = await project.ask('POST', path, { body })
  expect(answer.status, answer.text).toBe(200)
  const [asked, ...others] = stage.upstream.requests.slice(before).filter(({ method }) => method === 'POST')
  expect(others.map(({ path }) => path)).toEqual([])
  return `${asked?.path} ${asked?.body}`
}

function scriptAll(wire: AnyWire, isStreamed: boolean): void {
  stage.upstream.on('*', {
    write(response) {
      const type = isStreamed ? wire.streamType : 'application/json'
      response.writeHead(200, { 'content-type': type })
      response.end(isStreamed ? Buffer.concat(wire.events()) : wire.whole())
    },
  })
}

describe.each(everyWire.map(wire => [wire.name, wire] as const))('%s', (_name, wire) => {
  let project: TestProject
  beforeAll(async () => {
    project = await wire.makeProject(stage, { memory_enabled: false })
    await deployTutor(stage, project, { ...tutor, params })
    // The token of a cloud is fetched once.
    scriptAll(wire, false)
    const [first] = wire.surfaces
    if (first !== undefined) await project.ask('POST', surfaces[first].path, { body: surfaces[first].ask('Hello') })
  })

  test.each(wire.surfaces.flatMap(surface => [false, true].map(stream => [surface, stream] as const)))(
    '%s, streamed: %s',
    async (surface, stream) => {
      scriptAll(wire, stream)
      const { prompt, plain, added } = pairs[surface]
      const { path } = surfaces[surface]
      const asked = await bytesAsked(project, path, { ...prompt, stream })
      expect(asked).toContain('You teach maths.')
      expect(await bytesAsked(project, path, { ...plain, stream, ...added })).toBe(asked)
    },
  )
})
