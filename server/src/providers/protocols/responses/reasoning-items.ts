// Sends the Responses API's reasoning items to a client and back: each as one detail, so that a client or the memory
// can return it and the provider finds its reasoning intact.

import type { AssistantMessage, ReasoningDetail } from '../../../domain/conversation/prompt.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'

const format = 'openai-responses-v1'

/**
 * Null if the item holds nothing that the provider could read again: it does not store the item. `index` is the item's
 * position in the answer.
 */
export function detailOfItem(item: JsonObject, index: unknown): ReasoningDetail | null {
  const { id, encrypted_content: data } = item
  const content = textsIn(item['content'])
  const common = omitAbsent({
    format,
    id: typeof id === 'string' ? id : undefined,
    index: typeof index === 'number' ? index : undefined,
  })
  if (typeof data === 'string' && data !== '') {
    const summary = textsIn(item['summary'])
    return omitAbsent<ReasoningDetail>({ type: 'reasoning.encrypted', data, summary: summary || undefined, ...common })
  }
  return content === '' ? null : { type: 'reasoning.text', text: content, ...common }
}

/** The item's text for the client. */
export function textOfItem(item: JsonObject): string {
  return [textsIn(item['summary']), textsIn(item['content'])].filter(Boolean).join('\n\n')
}

/** The items that the provider can read; it rejects all others. */
export function itemsOfDetails(details: readonly ReasoningDetail[]): JsonObject[] {
  return details.filter(isReadable).map(({ id, data, text, summary }) =>
    omitAbsent<JsonObject>({
      type: 'reasoning',
      id: id ?? undefined,
      summary: summary ? [{ type: 'summary_text', text: summary }] : [],
      content: text ? [{ type: 'reasoning_text', text }] : undefined,
      encrypted_content: data ?? undefined,
    }),
  )
}

/** Whether the provider can read all reasoning of the message; text without a detail is an item without content. */
export function isReasoningReadable({ reasoning, reasoningDetails }: AssistantMessage): boolean {
  return reasoning === undefined && reasoningDetails.every(isReadable)
}

function isReadable(detail: ReasoningDetail): boolean {
  return detail.format === format && (Boolean(detail.data) || Boolean(detail.text))
}

function textsIn(parts: unknown): string {
  if (!Array.isArray(parts)) return ''
  const texts = parts.map(part => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
  return texts.filter(Boolean).join('\n\n')
}
