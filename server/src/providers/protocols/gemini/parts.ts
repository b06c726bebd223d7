// Writes the content of messages as Gemini's parts. Must not fetch anything: URLs are passed on as URLs, data as data.

import { base64Of, readDataUrl } from '../../../domain/conversation/data-url.ts'
import { type Content, type Part, partsOf, partsOfDocument } from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { JsonObject } from '../../../domain/json-object.ts'

export function contentParts(content: Content | null): JsonObject[] {
  return partsOf(content).flatMap(toParts)
}

/** Only the text of assistant messages: no provider accepts an assistant's images. */
export function assistantParts(content: Content | null): JsonObject[] {
  return partsOf(content).flatMap(part => (part.type === 'text' || part.type === 'refusal' ? textParts(part.text) : []))
}

export function textParts(text: string): JsonObject[] {
  return text === '' ? [] : [{ text }]
}

function toParts(part: Part): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return textParts(part.text)
    case 'image':
      return [mediaPart(part.url, 'image_url', 'image/jpeg')]
    case 'file':
      // Files stored at the provider belong to the owner of the key, who is not always the caller.
      if (part.data === undefined) return refusePart('file without file_data')
      return [mediaPart(part.data, 'file', 'application/pdf')]
    case 'audio':
      return [{ inlineData: { mimeType: `audio/${part.format.toLowerCase()}`, data: part.data } }]
    case 'document':
      return partsOfDocument(part).flatMap(toParts)
    case 'other':
      return refusePart(part.kind.slice(0, 40))
  }
}

function mediaPart(url: string, field: string, usualType: string): JsonObject {
  if (/^https?:/i.test(url)) return { fileData: { fileUri: url, mimeType: guessType(url) ?? usualType } }
  const inline = readDataUrl(url)
  if (inline === null) {
    throw new Refusal('invalid_request', { message: `${field} must be an https: or data: address`, param: 'messages' })
  }
  return { inlineData: { mimeType: inline.mediaType, data: base64Of(inline) } }
}

const typesByEnding: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
}

/** The provider requires a type with the URL, which is not fetched here. */
function guessType(url: string): string | null {
  const [, ending = ''] = /\.([A-Za-z]{3,4})(?:[?#]|$)/.exec(url) ?? []
  const name = ending.toLowerCase()
  return Object.hasOwn(typesByEnding, name) ? (typesByEnding[name] ?? null) : null
}

function refusePart(kind: string): never {
  throw new Refusal('invalid_request', {
    message: `The model's provider does not take content of type ${kind}`,
    param: 'messages',
  })
}
