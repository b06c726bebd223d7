// Google's Gemini format: generateContent and its stream.

import { createTextCarrier } from '../../../domain/json/carry-texts.ts'
import type { JsonPlace } from '../../../domain/json/json-places.ts'
import { decodePlainAnswer } from '../decode-plain-answer.ts'
import { createEventStreamDecoder } from '../event-stream-decoder.ts'
import type { Protocol } from '../protocol.ts'
import { GeminiPieces, readCountedTokens } from './answer.ts'
import { readGeminiError, readStrayError } from './errors.ts'
import { renderGeminiBody } from './request.ts'

const call: JsonPlace = { members: { functionCall: { members: { args: { holds: 'object' } } } } }
const candidate: JsonPlace = { members: { content: { members: { parts: { items: call } } } } }
const answer: JsonPlace = { members: { candidates: { items: candidate } } }
/** A stream that was not requested as events is a list of answers. */
const texts = createTextCarrier({ ...answer, items: answer })

export const gemini: Protocol = {
  wireFormat: 'gemini',
  render(prompt, target) {
    return {
      path: pathOf(target.model, prompt.stream ? 'streamGenerateContent' : 'generateContent'),
      ...(prompt.stream ? { query: { alt: 'sse' } } : {}),
      body: renderGeminiBody(prompt, target),
      reading: { jsonTool: null },
    }
  },
  decodeAnswer(body, reading) {
    const pieces = new GeminiPieces(reading)
    return decodePlainAnswer(body, { texts, read: json => [...pieces.read(json), ...pieces.end()] })
  },
  createStreamDecoder(reading) {
    const pieces = new GeminiPieces(reading)
    return createEventStreamDecoder({
      texts,
      read: json => pieces.read(json),
      endsWithBody: true,
      atEnd: () => pieces.end(),
      readStray: text => readStrayError(text, !pieces.hasBegun),
    })
  },
  readError: readGeminiError,
}

/** Counts the tokens of a prompt: the same request as a part of another one, without what concerns the answer alone. */
export const geminiCount: Protocol = {
  ...gemini,
  render(prompt, target) {
    const { generationConfig: _, ...counted } = renderGeminiBody({ ...prompt, stream: false }, target)
    const model = resourceOf(target.model).join('/')
    return {
      path: pathOf(target.model, 'countTokens'),
      body: { generateContentRequest: { model, ...counted } },
      reading: { jsonTool: null },
    }
  },
  decodeAnswer: body => decodePlainAnswer(body, { read: readCountedTokens }),
}

/** Tuned models have a collection of their own. */
function resourceOf(model: string): [collection: string, name: string] {
  const [, collection = 'models', name = model] = /^(models|tunedModels)\/(.+)$/s.exec(model) ?? []
  return [collection, name]
}

function pathOf(model: string, method: string): string[] {
  const [collection, name] = resourceOf(model)
  return [collection, `${name}:${method}`]
}
