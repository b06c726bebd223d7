// Packs what a provider needs back to continue its reasoning into the `encrypted_content` of a reasoning item, and
// unpacks it. OpenAI's own content is passed on as it is.

import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import { isJsonObject, omitAbsent, parseJson } from '../../domain/json-object.ts'

/** The format of the details that hold a reasoning item of OpenAI. */
const openaiFormat = 'openai-responses-v1'
/** Before the details of other formats. OpenAI's content begins otherwise. */
const packedPrefix = 'sallyport.v1.'

/** Null if there is nothing that must be sent back. */
export function packDetails(details: readonly ReasoningDetail[]): string | null {
  const [first] = details
  if (first === undefined) return null
  const sealed = details.find(({ format, data }) => format === openaiFormat && typeof data === 'string')
  if (sealed !== undefined && details.every(({ format }) => format === openaiFormat)) return sealed.data ?? null
  return packedPrefix + Buffer.from(JSON.stringify(details)).toString('base64url')
}

/** Null if the content begins as ours does and is not what `packDetails` returned. */
export function unpackDetails(content: string, item: { id?: string; summary?: string }): ReasoningDetail[] | null {
  if (!content.startsWith(packedPrefix)) {
    const { id, summary } = item
    return [
      omitAbsent<ReasoningDetail>({ type: 'reasoning.encrypted', data: content, id, summary, format: openaiFormat }),
    ]
  }
  const details = parseJson(Buffer.from(content.slice(packedPrefix.length), 'base64url').toString('utf8'))
  return Array.isArray(details) && details.every(isDetail) ? details : null
}

/** OpenAI's id of the item; null for other providers. */
export function idOfDetail({ format, id }: ReasoningDetail): string | null {
  return format === openaiFormat && typeof id === 'string' ? id : null
}

const textFields = ['text', 'summary', 'data', 'signature', 'format', 'id']

function isDetail(value: unknown): value is ReasoningDetail {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return false
  return textFields.every(name => ['string', 'undefined'].includes(typeof value[name]) || value[name] === null)
}
