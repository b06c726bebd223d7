// Sends the requests of the property to the product: those of the data plane to one provider after the other.

import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { type MatrixProvider, providers } from '../matrix/cells.ts'
import type { MatrixStage } from '../matrix/matrix.ts'
import { scenes } from '../matrix/scenes.ts'
import { openaiResponses } from '../matrix/upstream-responses.ts'
import { answerOf } from '../matrix/upstream-wire.ts'
import { chatWires } from '../matrix/wires.ts'
import type { Shape } from './measure.ts'
import { mostParts } from './most-parts.ts'
import { type RequestShape, shapesOf } from './request-shapes.ts'

/** Below the limits of the product. */
const bodyBytes = 9_500_000
const managementBytes = 1_000_000

async function documentAt({ harness }: MatrixStage, path: string): Promise<JsonObject> {
  const response = await fetch(harness().baseUrl + path)
  return (await response.json()) as JsonObject
}

/** Each shape to another provider than the one before it: some have the client's format, most are rendered for. */
export async function dataPlaneShapes(stage: MatrixStage): Promise<Shape[]> {
  const shapes = shapesOf(await documentAt(stage, '/openapi.json')).filter(({ path }) => !path.startsWith('/v1/auth/'))
  return shapes.map((shape, at) => {
    const provider = providers[at % providers.length] as MatrixProvider
    const name = `${shape.path} ${shape.place} at ${provider}`
    return {
      name,
      get parts() {
        return partsOf(shape, bodyBytes)
      },
      send: parts => sendTo(stage, provider, shape, parts),
    }
  })
}

function partsOf({ make, maxParts }: RequestShape, maxBytes: number): number {
  return mostParts({ make: parts => JSON.stringify(make(parts)), maxParts, maxBytes, isOneText: true })
}

async function sendTo(stage: MatrixStage, provider: MatrixProvider, { path, make }: RequestShape, parts: number) {
  const wire = provider === 'openai' && path.startsWith('/v1/responses') ? openaiResponses : chatWires[provider]
  stage.script(answerOf(wire, scenes.plain.said, false))
  const text = JSON.stringify(make(parts))
  const { status } = await stage.projectOf(provider).ask('POST', path, { body: text })
  return { text, status }
}

export async function managementShapes(stage: MatrixStage): Promise<Shape[]> {
  const { owner, baseUrl, adminSecret } = stage.harness()
  const { tenantId, id: projectId } = stage.projectOf('openai')
  const ids: Record<string, string> = { tenantId, projectId, id: projectId, userId: owner.id }
  return shapesOf(await documentAt(stage, '/auth/v1/openapi.json')).map(shape => {
    const { method, path, make } = shape
    const url = baseUrl + path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID())
    const secret = path.includes('/admin/') ? adminSecret : owner.session
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    return {
      name: `${method} ${path} ${shape.place}`,
      get parts() {
        return partsOf(shape, managementBytes)
      },
      async send(parts) {
        const text = JSON.stringify(make(parts))
        const response = await fetch(url, { method, headers, body: text })
        await response.arrayBuffer()
        return { text, status: response.status }
      },
    }
  })
}
