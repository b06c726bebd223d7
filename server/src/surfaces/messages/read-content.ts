// Reads the content blocks of a message that hold what somebody shows to the model: text, images and documents. Must
// not fetch anything: URLs are passed on as URLs, data as data.

import type { Content, Part } from '../../domain/conversation/prompt.ts'
import { type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import { findField, findOthers } from '../request-fields.ts'
import { findText, getObject, getText, refuseField, refuseMissing, refuseTag, refuseType } from './fields.ts'

/** Blocks of these kinds have a place of their own in a message, and none among the parts of its content. */
const placedKinds: ReadonlySet<string> = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking'])
const textFields = new Set(['type', 'text'])
const sourceFields = new Set(['type', 'source'])
const documentFields = new Set(['type', 'source', 'title', 'context'])
const resultFields = new Set(['type', 'source', 'title', 'content'])

export function kindOf(value: unknown, path: string): [kind: string, block: JsonObject] {
  const block = getObject(value, path)
  return [getText(block, 'type', path), block]
}

/** A text, or blocks that are shown to the model. */
export function readContent(content: unknown, path: string): Content {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) refuseType(path, 'array')
  return content.map((block, index) => readPart(block, `${path}.${index}`))
}

/** Text only. */
export function readTexts(content: unknown, path: string): Content {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) refuseType(path, 'array')
  return content.map((value, index) => {
    const [kind, block] = kindOf(value, `${path}.${index}`)
    return kind === 'text' ? readText(block, `${path}.${index}`) : refuseTag(`${path}.${index}`, kind, ['text'])
  })
}

/** A block of unknown kind is kept unchanged: some provider may know it. */
export function readPart(value: unknown, path: string): Part {
  const [kind, block] = kindOf(value, path)
  switch (kind) {
    case 'text':
      return readText(block, path)
    case 'image':
      return readImage(block, path)
    case 'document':
      return readDocument(block, path)
    case 'search_result':
      return readSearchResult(block, path)
    default:
      if (placedKinds.has(kind)) refuseField(path, `\`${kind}\` blocks are not allowed here`)
      return { type: 'other', kind, value: block }
  }
}

function readText(block: JsonObject, path: string): Part {
  const text = getText(block, 'text', path)
  return omitAbsent<Part>({ type: 'text', text, extra: findOthers(block, textFields) })
}

function readImage(block: JsonObject, path: string): Part {
  const url = readAddress(getSource(block, path), `${path}.source`, ['base64', 'url'])
  return omitAbsent<Part>({ type: 'image', url, extra: findOthers(block, sourceFields) })
}

function readDocument(block: JsonObject, path: string): Part {
  const source = getSource(block, path)
  const title = findText(block, 'title', path)
  const context = findText(block, 'context', path)
  const extra = findOthers(block, documentFields)
  const content = findDocumentText(source, `${path}.source`)
  if (content !== null) return omitAbsent<Part>({ type: 'document', content, title, context, extra })
  const data = readAddress(source, `${path}.source`, ['base64', 'text', 'url', 'content'])
  const others = context === undefined ? extra : { ...extra, context }
  return omitAbsent<Part>({ type: 'file', data, filename: title, extra: others })
}

function readSearchResult(block: JsonObject, path: string): Part {
  return omitAbsent<Part>({
    type: 'document',
    content: readTexts(findField(block, 'content') ?? refuseMissing(`${path}.content`), `${path}.content`),
    title: getText(block, 'title', path),
    searchSource: getText(block, 'source', path),
    extra: findOthers(block, resultFields),
  })
}

function getSource(block: JsonObject, path: string): JsonObject {
  return getObject(findField(block, 'source'), `${path}.source`)
}

/** Null if the document is not given as text. */
function findDocumentText(source: JsonObject, path: string): Content | null {
  const kind = getText(source, 'type', path)
  if (kind === 'text') return getText(source, 'data', path)
  return kind === 'content' ? readContent(findField(source, 'content') ?? refuseMissing(path), `${path}.content`) : null
}

/** A https: or data: URL. */
function readAddress(source: JsonObject, path: string, expected: readonly string[]): string {
  const kind = getText(source, 'type', path)
  if (kind === 'url') return getText(source, 'url', path)
  if (kind === 'base64') {
    return `data:${getText(source, 'media_type', path)};base64,${getText(source, 'data', path)}`
  }
  // Files stored at the provider belong to the owner of the key, who is not always the caller.
  if (kind === 'file') refuseField(path, 'Files stored at the provider are not available here: send their content')
  refuseTag(path, kind, expected)
}
