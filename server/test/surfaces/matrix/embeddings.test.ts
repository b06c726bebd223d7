// The matrix of /v1/embeddings: what the provider is asked, and which vectors the client gets.

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { embeddingsCells, type MatrixProvider, providers, type VectorFeature, vectorFeatureNames } from './cells.ts'
import { chatClient } from './client-chat.ts'
import { matrixModels } from './configurations.ts'
import { useMatrixStage } from './matrix.ts'
import { rejectionOf } from './upstream-wire.ts'
import { chatWires } from './wires.ts'

const stageOf = useMatrixStage()

interface VectorWire {
  model: string
  path: string
  /** What the provider is asked, without what the gateway adds. */
  asks(inputs: readonly unknown[], dimensions: number | undefined): JsonObject
  answer(vectors: readonly number[][]): UpstreamAnswer
}

const openaiAnswer = (vectors: readonly number[][]): UpstreamAnswer => ({
  body: {
    object: 'list',
    model: 'upstream-model',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 5, total_tokens: 5 },
  },
})

/** One input may be sent as it is, or as a list. */
const openaiAsks = (inputs: readonly unknown[], dimensions: number | undefined) => ({
  input: inputs.length === 1 ? expect.toSatisfy(isOrHas(inputs[0])) : inputs,
  ...(dimensions === undefined ? {} : { dimensions }),
})

function isOrHas(input: unknown): (value: unknown) => boolean {
  const text = JSON.stringify(input)
  return value => [text, JSON.stringify([input])].includes(JSON.stringify(value))
}

const wires: Partial<Record<MatrixProvider, VectorWire>> = {
  openai: {
    model: 'text-embedding-3-small',
    path: '/openai/v1/embeddings',
    asks: openaiAsks,
    answer: openaiAnswer,
  },
  google: {
    model: 'gemini-embedding-001',
    path: '/google/v1beta/models/gemini-embedding-001:batchEmbedContents',
    asks: (inputs, dimensions) => ({
      requests: inputs.map(text => ({
        model: 'models/gemini-embedding-001',
        content: { parts: [{ text }] },
        ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
      })),
    }),
    answer: vectors => ({
      body: { embeddings: vectors.map(values => ({ values })), usageMetadata: { promptTokenCount: 5 } },
    }),
  },
  openrouter: {
    model: 'openai/text-embedding-3-small',
    path: '/openrouter/api/v1/embeddings',
    asks: openaiAsks,
    answer: openaiAnswer,
  },
  custom: {
    model: 'custom-own/vectors',
    path: '/custom/v1/embeddings',
    asks: openaiAsks,
    answer: openaiAnswer,
  },
  mistral: {
    model: 'mistral-embed',
    path: '/mistral/v1/embeddings',
    asks: (inputs, dimensions) => ({
      input: inputs,
      ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
    }),
    answer: openaiAnswer,
  },
  cohere: {
    model: 'embed-v4.0',
    path: '/cohere/v2/embed',
    asks: (texts, dimensions) => ({
      texts,
      embedding_types: ['float'],
      ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
    }),
    answer: vectors => ({
      body: { id: 'e1', embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 5 } } },
    }),
  },
}

interface VectorScene {
  input: unknown
  inputs: unknown[]
  fields?: { dimensions?: number; encoding_format?: 'base64' }
}

const scenes: Record<VectorFeature, VectorScene> = {
  text: { input: 'naïve 🦊', inputs: ['naïve 🦊'] },
  texts: { input: ['a fox', 'an owl'], inputs: ['a fox', 'an owl'] },
  tokens: { input: [[1, 2, 3]], inputs: [[1, 2, 3]] },
  dimensions: { input: 'a fox', inputs: ['a fox'], fields: { dimensions: 256 } },
  base64: { input: 'a fox', inputs: ['a fox'], fields: { encoding_format: 'base64' } },
  error_before: { input: 'a fox', inputs: ['a fox'] },
}

/** Exact in 32 bits. */
const vectors = [
  [0.5, -0.25],
  [1, 0],
]

describe.each(providers)('%s', provider => {
  test.each(Object.keys(vectorFeatureNames) as VectorFeature[])('%s', async feature => {
    const { input, inputs, fields = {} } = scenes[feature]
    const cell = embeddingsCells[feature]?.[provider]
    const wire = wires[provider]
    const { script, upstream, projectOf } = stageOf()
    const given = vectors.slice(0, inputs.length)
    script(feature === 'error_before' ? rejectionOf(chatWires[provider]) : (wire?.answer(given) ?? {}))
    const body = { model: wire?.model ?? matrixModels[provider], input, ...fields }
    const got = await projectOf(provider).ask('POST', '/v1/embeddings', { body })
    if (cell !== undefined && 'status' in cell) {
      expect([got.status, chatClient.readError(got.body).message]).toEqual([cell.status, cell.message])
      expect(upstream.requests).toEqual([])
      return
    }
    expect(upstream.requests.map(({ path }) => path)).toEqual([wire?.path])
    expect(JSON.parse(upstream.requests[0]?.body ?? '')).toMatchObject(wire?.asks(inputs, fields.dimensions) ?? {})
    if (feature === 'error_before') {
      expect([got.status, got.headers['retry-after']]).toEqual([429, '30'])
      expect(chatClient.readError(got.body).message).not.toBe('')
      return
    }
    expect(got.status, got.text).toBe(200)
    const { data } = got.body as { data: { index: number; embedding: unknown }[] }
    const isBase64 = fields.encoding_format === 'base64'
    expect(data.map(({ embedding }) => (isBase64 ? numbersIn(embedding) : embedding))).toEqual(given)
  })
})

function numbersIn(embedding: unknown): number[] {
  const bytes = Buffer.from(String(embedding), 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}
