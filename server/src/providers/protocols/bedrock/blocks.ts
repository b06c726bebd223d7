// Writes Anthropic's turns and blocks as those of Converse, which has the same ones under other names. Must not fetch
// anything: Bedrock reads no URLs, so an image or a file has to come with its data.

import { Refusal } from '../../../domain/errors.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'

const imageFormats = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])
const openXml = 'application/vnd.openxmlformats-officedocument'
const documentFormats = new Map([
  ['application/pdf', 'pdf'],
  ['application/msword', 'doc'],
  [`${openXml}.wordprocessingml.document`, 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  [`${openXml}.spreadsheetml.sheet`, 'xlsx'],
])

/** Bedrock rejects a document in a turn that has no text. */
const besideDocument = { text: 'See the document.' }
const maxNameLength = 100

export class ConverseBlockWriter {
  readonly #documentNames = new Set<string>()

  writeTurn({ role, content }: JsonObject): JsonObject {
    const blocks = this.#writeAll(content)
    const lacksText = blocks.some(({ document }) => document !== undefined) && !blocks.some(({ text }) => text)
    return { role, content: lacksText ? [...blocks, besideDocument] : blocks }
  }

  #writeAll(content: unknown): JsonObject[] {
    if (typeof content === 'string') return [{ text: content }]
    return Array.isArray(content) ? content.filter(isJsonObject).map(block => this.#write(block)) : []
  }

  #write(block: JsonObject): JsonObject {
    switch (block['type']) {
      case 'text':
        return { text: block['text'] }
      case 'image':
        return { image: writeImage(block['source']) }
      case 'document':
        return { document: this.#writeDocument(block) }
      case 'search_result': {
        const { source, title, content } = block
        return { searchResult: { source, title, content: textsOf(content) } }
      }
      case 'tool_use':
        return { toolUse: { toolUseId: block['id'], name: block['name'], input: block['input'] } }
      case 'tool_result':
        return {
          toolResult: omitAbsent({
            toolUseId: block['tool_use_id'],
            content: this.#writeAll(block['content']),
            status: block['is_error'] === true ? 'error' : undefined,
          }),
        }
      case 'thinking':
        return {
          reasoningContent: { reasoningText: { text: block['thinking'], signature: block['signature'] } },
        }
      case 'redacted_thinking':
        return { reasoningContent: { redactedContent: block['data'] } }
      default:
        return refuse(`content of type ${String(block['type']).slice(0, 40)}`)
    }
  }

  #writeDocument({ source, title }: JsonObject): JsonObject {
    const { type, media_type: mediaType, data, content } = isJsonObject(source) ? source : {}
    const name = this.#freeName(typeof title === 'string' ? title : '')
    if (type === 'text') return { format: 'txt', name, source: { bytes: Buffer.from(String(data)).toString('base64') } }
    if (type === 'content') return { format: 'txt', name, source: { content: textsOf(content) } }
    if (type !== 'base64') return refuse('files by address; send the data')
    const format = documentFormats.get(String(mediaType)) ?? refuse(`files of type ${String(mediaType).slice(0, 80)}`)
    return { format, name, source: { bytes: data } }
  }

  /** Names are unique, and of few characters. */
  #freeName(title: string): string {
    const plain =
      title
        .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
        .trim()
        .slice(0, maxNameLength)
        .trim() || 'document'
    let name = plain
    for (let count = 2; this.#documentNames.has(name); count++) name = `${plain} ${count}`
    this.#documentNames.add(name)
    return name
  }
}

function writeImage(source: unknown): JsonObject {
  const { type, media_type: mediaType, data } = isJsonObject(source) ? source : {}
  if (type !== 'base64') return refuse('images by address; send the data')
  const format = imageFormats.get(String(mediaType)) ?? refuse(`images of type ${String(mediaType).slice(0, 80)}`)
  return { format, source: { bytes: data } }
}

/** Blocks that Bedrock takes only as texts. */
function textsOf(content: unknown): JsonObject[] {
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : []
  return blocks.map(({ type, text }) => (type === 'text' ? { text } : refuse('images within a document')))
}

function refuse(what: string): never {
  throw new Refusal('invalid_request', { message: `The model's provider does not take ${what}`, param: 'messages' })
}
