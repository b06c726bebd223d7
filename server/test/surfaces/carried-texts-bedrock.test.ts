// Tests that arguments of calls and schemas of tools reach Amazon Bedrock, and return from it, as they were written.
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyWire } from '../inference/every-wire.ts'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'
import { eventFrame } from '../support/simulated/aws-event-stream.ts'
import {
  askWith,
  carries,
  digits,
  randomObject,
  randomValue,
  type SurfaceName,
  surfaces,
} from './carried-texts-stage.ts'

const rounds = 3
const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }

const whole = (args: string) =>
  `{"output":{"message":{"role":"assistant","content":[
  {"toolUse":{"toolUseId":"call_2","name":"find","input":${args}}}]}},
  "stopReason":"tool_use","usage":${JSON.stringify(usage)}}`

/** The arguments are cut anywhere. */
function frames(args: string): Buffer {
  const characters = Array.from(args)
  const pieces: string[] = []
  while (characters.length > 0) pieces.push(characters.splice(0, randomInt(1, 9)).join(''))
  const contentBlockIndex = 0
  return Buffer.concat([
    eventFrame('messageStart', { role: 'assistant' }),
    eventFrame('contentBlockStart', {
      contentBlockIndex,
      start: { toolUse: { toolUseId: 'call_2', name: 'find' } },
    }),
    ...pieces.map(input => eventFrame('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input } } })),
    eventFrame('contentBlockStop', { contentBlockIndex }),
    eventFrame('messageStop', { stopReason: 'tool_use' }),
    eventFrame('metadata', { usage }),
  ])
}

let stage: Stage
let project: TestProject | undefined
beforeAll(async () => {
  stage = await openStage('sqlite', { AWS_ENDPOINT_URL_STS: '{upstream}/' })
  stage.upstream.on('GET /', { body: '<GetCallerIdentityResponse/>' })
  project = await everyWire.find(({ name }) => name === 'bedrock')?.makeProject(stage, {})
})
afterAll(() => stage.stop())

function answerWith(args: string, isStreamed: boolean): void {
  stage.upstream.on('*', {
    write(response) {
      const type = isStreamed ? 'application/vnd.amazon.eventstream' : 'application/json'
      response.writeHead(200, { 'content-type': type }).end(isStreamed ? frames(args) : whole(args))
    },
  })
}

/** The arguments of the only call in a stream. */
function joined(stream: string): string {
  const pieces = stream.matchAll(/"(?:arguments|partial_json)":("(?:[^"\\]|\\.)*")/g)
  return Array.from(pieces, ([, piece = '""']) => JSON.parse(piece) as string).join('')
}

const ways = (Object.keys(surfaces) as SurfaceName[]).flatMap(surface =>
  [false, true].map(isStreamed => [surface, isStreamed ? 'streamed' : 'plain', isStreamed] as const),
)

test.each(ways)('%s on bedrock, %s', async (surface, _mode, isStreamed) => {
  for (let round = 0; round < rounds; round++) {
    const [args, answered] = [randomObject(), randomObject().replaceAll('\n', '')]
    const schema = `{"type":"object","properties":{"id":{"maximum":${digits(25)},"enum":[${randomValue()}, 1.0]}}}`
    answerWith(answered, isStreamed)
    stage.upstream.requests.length = 0
    const text = await askWith(stage, project, surface, { args, schema, isStreamed })
    const sent = stage.upstream.requests.find(({ path }) => path.includes('/converse'))?.body ?? ''
    expect(carries(sent, args), `${args} in ${sent}`).toBe(true)
    expect(carries(sent, schema), `${schema} in ${sent}`).toBe(true)
    expect(carries(text, answered) || joined(text) === answered, `${answered} in ${text}`).toBe(true)
  }
})
