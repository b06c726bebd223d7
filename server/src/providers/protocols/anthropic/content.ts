// Writes the content of messages as Anthropic's blocks. Must not fetch anything: URLs are passed on as URLs, data as
// data.

import { base64Of, readDataUrl, textIn } from '../../../domain/conversation/data-url.ts'
import { type Content, type DocumentPart, type Part, partsOf } from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { JsonObject } from '../../../domain/json-object.ts'
import { omitAbsent } from '../../../domain/json-object.ts'

/** The provider rejects text blocks without a word in them. */
export function textBlocks(text: string): JsonObject[] {
  return /\S/.test(text) ? [{ type: 'text', text }] : []
}

/** `isOwn`: unknown fields and parts of unknown kind are of this format. */
export function contentBlocks(content: Content | null, isOwn: boolean): JsonObject[] {
  return partsOf(content).flatMap(part => withExtra(part, toBlocks(part, isOwn), isOwn))
}

/** The blocks of each part. Only the text of assistant messages: no provider accepts an assistant's images. */
export function assistantBlocks(content: Content | null, isOwn: boolean): JsonObject[][] {
  return partsOf(content).map(part => {
    if (part.type === 'text' || part.type === 'refusal') return withExtra(part, textBlocks(part.text), isOwn)
    return part.type === 'other' && isOwn ? [part.value] : []
  })
}

function withExtra(part: Part, blocks: JsonObject[], isOwn: boolean): JsonObject[] {
  const extra = isOwn && 'extra' in part ? part.extra : undefined
  return extra === undefined ? blocks : blocks.map(block => ({ ...block, ...extra }))
}

function toBlocks(part: Part, isOwn: boolean): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return textBlocks(part.text)
    case 'image':
      return [{ type: 'image', source: sourceOf(part.url, 'image_url') }]
    case 'file':
      return [fileBlock(part)]
    case 'document':
      return [documentBlock(part, isOwn)]
    case 'audio':
      return refusePart('audio')
    case 'other':
      return isOwn ? [part.value] : refusePart(part.kind.slice(0, 40))
  }
}

function documentBlock({ content, title, context, searchSource }: DocumentPart, isOwn: boolean): JsonObject {
  if (searchSource !== undefined) {
    return { type: 'search_result', source: searchSource, title, content: contentBlocks(content, isOwn) }
  }
  const source =
    typeof content === 'string'
      ? { type: 'text', media_type: 'text/plain', data: content }
      : { type: 'content', content: contentBlocks(content, isOwn) }
  return omitAbsent({ type: 'document', source, title, context })
}

function fileBlock({ data, filename }: Extract<Part, { type: 'file' }>): JsonObject {
  // Files stored at the provider belong to the owner of the key, who is not always the caller.
  if (data === undefined) refusePart('file without file_data')
  const inline = readDataUrl(data)
  const source = sourceOf(data, 'file')
  if (inline?.mediaType.startsWith('image/')) return { type: 'image', source }
  if (!inline?.mediaType.startsWith('text/')) return omitAbsent({ type: 'document', source, title: filename })
  const text = { type: 'text', media_type: 'text/plain', data: textIn(inline) }
  return omitAbsent({ type: 'document', source: text, title: filename })
}

function sourceOf(url: string, field: string): JsonObject {
  if (!/^data:/i.test(url)) return { type: 'url', url }
  const inline = readDataUrl(url)
  if (inline !== null) return { type: 'base64', media_type: inline.mediaType, data: base64Of(inline) }
  throw new Refusal('invalid_request', { message: `${field} must be an https: or data: address`, param: 'messages' })
}

function refusePart(kind: string): never {
  throw new Refusal('invalid_request', {
    message: `The model's provider does not take content of type ${kind}`,
    param: 'messages',
  })
}
