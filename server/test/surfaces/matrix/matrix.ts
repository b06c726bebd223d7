// Runs the cells of one surface through the product: what the upstream was asked, and what the client got.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../../inference/inference-stage.ts'
import type { ScriptedUpstream, UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { type Cell, type Cells, type MatrixProvider, providers } from './cells.ts'
import type { Client } from './client.ts'
import { configurationOf, matrixModels, tokenPath } from './configurations.ts'
import { canonicalOf, type Feature, type Scene, scenes, type View, viewOf } from './scenes.ts'
import { answerOf, failingStream, rejectionOf, type UpstreamWire } from './upstream-wire.ts'

export interface MatrixSurface {
  client: Client
  cells: Cells
  wires: Record<MatrixProvider, UpstreamWire>
}

export interface MatrixStage {
  harness(): Stage['harness']
  upstream: ScriptedUpstream
  /** The provider's answer from now on. */
  script(answer: UpstreamAnswer): void
  projectOf(provider: MatrixProvider): TestProject
}

interface StageOptions {
  /** Added to the product's environment. */
  env?: Record<string, string>
  /** Of each project. */
  settings?: Record<string, unknown>
}

/** The product, with a project for each provider, for all tests of the file. */
export function useMatrixStage({ env = {}, settings = {} }: StageOptions = {}): () => MatrixStage {
  let stage: Stage
  let upstream: ScriptedUpstream
  let answer: UpstreamAnswer = {}
  const projects = new Map<MatrixProvider, TestProject>()
  beforeAll(async () => {
    const at = (path: string) => `{upstream}/${path}`
    stage = await openStage('sqlite', {
      OPENAI_BASE_URL: at('openai/v1'),
      ANTHROPIC_BASE_URL: at('anthropic/v1'),
      GOOGLE_BASE_URL: at('google/v1beta'),
      OPENROUTER_BASE_URL: at('openrouter/api/v1'),
      MISTRAL_BASE_URL: at('mistral/v1'),
      COHERE_BASE_URL: at('cohere/v2'),
      AWS_ENDPOINT_URL_STS: at('sts'),
      ...env,
    })
    upstream = stage.upstream
    upstream.on(`POST ${tokenPath}`, { body: { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' } })
    upstream.on('*', ({ method }) => (method === 'GET' ? { body: { object: 'list', data: [], models: [] } } : answer))
    for (const provider of providers) projects.set(provider, await makeProject(stage, provider, upstream.url, settings))
  })
  afterAll(() => stage.stop())
  return () => ({
    upstream,
    harness: () => stage.harness,
    script(next) {
      answer = next
      upstream.requests.length = 0
    },
    projectOf(provider) {
      const project = projects.get(provider)
      if (project === undefined) throw new Error(`no project for ${provider}`)
      return project
    },
  })
}

export function describeMatrix({ client, cells, wires }: MatrixSurface): void {
  const stageOf = useMatrixStage()

  describe.each(providers)('%s', provider => {
    test.each(Object.keys(scenes) as Feature[])('%s', async feature => {
      const scene: Scene = scenes[feature]
      const cell = cells[feature]?.[provider]
      const wire = wires[provider]
      if (cell !== undefined && 'lacks' in cell) return
      const { script, upstream, projectOf } = stageOf()
      script(scriptOf(wire, scene))
      const body = client.body(scene.asked)
      const headers = client.headers === undefined ? {} : { headers: client.headers }
      const got = await projectOf(provider).ask('POST', client.path, { body, ...headers })
      if (cell !== undefined && 'status' in cell) {
        expect([got.status, client.readError(got.body).message]).toEqual([cell.status, cell.message])
        expect(upstream.requests).toEqual([])
        return
      }
      expectAsked(wire, scene, upstream.requests)
      if (scene.fails === 'before') {
        expect([got.status, got.headers['retry-after']]).toEqual([429, '30'])
        expect(client.readError(got.body).message).not.toBe('')
      } else expectAnswer(client, scene, cell, got)
    })
  })
}

function scriptOf(wire: UpstreamWire, { asked, said, fails }: Scene): UpstreamAnswer {
  if (fails === 'before') return rejectionOf(wire)
  return fails === 'in_stream' ? failingStream(wire, said) : answerOf(wire, said, asked.stream)
}

function expectAsked(wire: UpstreamWire, { asked }: Scene, requests: ScriptedUpstream['requests']): void {
  // Each process of the product fetches an access token of its own.
  const calls = requests.filter(({ path }) => path !== tokenPath)
  expect(calls).toHaveLength(1)
  const [{ path, body: text } = { path: '', body: '' }] = calls
  expect(path).toMatch(wire.path)
  const body = JSON.parse(text) as Record<string, unknown>
  const { turns, ...said } = wire.canonicalise({ url: path, body })
  // The formats name other parts differently; the only ones here are sounds.
  const heard = turns.map(turn => ({ ...turn, other: turn.other.map(() => 'audio') }))
  expect({ ...said, turns: heard }).toEqual(canonicalOf(asked))
  expect(wire.asksForReasoning(body)).toBe(asked.effort)
}

function expectAnswer(
  client: Client,
  scene: Scene,
  cell: Exclude<Cell, { status: number } | { lacks: string }> | undefined,
  { status, text, body }: { status: number; text: string; body: unknown },
): void {
  expect(status, text).toBe(200)
  const expected: View = { ...viewOf(scene), ...cell?.view }
  const view = scene.asked.stream ? client.readStream(text) : client.readWhole(body)
  // An answer that broke off may still have told its usage.
  expect(scene.fails === undefined ? view : { ...view, tokens: null }).toEqual(expected)
}

async function makeProject(
  { makeProject: make }: Stage,
  provider: MatrixProvider,
  upstreamUrl: string,
  settings: Record<string, unknown>,
): Promise<TestProject> {
  return await make({ model: matrixModels[provider], provider: configurationOf(provider, upstreamUrl), settings })
}
