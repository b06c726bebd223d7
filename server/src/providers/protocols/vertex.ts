// Vertex AI's wire formats: Gemini's and Anthropic's own, each below its publisher.

import { patchBody } from '../../domain/json/patch-body.ts'
import { type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import { anthropic } from './anthropic/anthropic.ts'
import { gemini } from './gemini/gemini.ts'
import type { Protocol } from './protocol.ts'

/** The model is in the path, and the version in the body. */
const changes = { model: undefined, anthropic_version: 'vertex-2023-10-16' }

export const vertexGemini: Protocol = {
  ...gemini,
  render(prompt, target) {
    const request = gemini.render(prompt, target)
    return { ...request, path: ['publishers', 'google', ...request.path] }
  },
}

const vertexClaude: Protocol = {
  ...anthropic,
  render(prompt, target) {
    const { body, bytes, ...request } = anthropic.render(prompt, target)
    const method = prompt.stream ? 'streamRawPredict' : 'rawPredict'
    const patched = bytes === undefined ? null : patchBody(bytes, changes)
    return {
      ...request,
      path: ['publishers', 'anthropic', 'models', `${target.model}:${method}`],
      body: omitAbsent<JsonObject>({ ...body, ...changes }),
      ...(patched === null ? {} : { bytes: patched }),
    }
  },
}

export function findVertexProtocol(model: string): Protocol | null {
  return model.startsWith('claude-') ? vertexClaude : null
}
