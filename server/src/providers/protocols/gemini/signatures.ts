// Sends Gemini's thought signatures to a client and back: those of calls with the call, those of text and thoughts as
// reasoning details. Signatures that the provider did not issue must not be sent to it.

import type { ReasoningDetail, ToolCall } from '../../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../../domain/json-object.ts'

const format = 'google-gemini-v1'

/** Stands for a lost signature; the provider accepts it without a check. */
const unknownSignature = 'skip_thought_signature_validator'

/** The signature of the answer's text. `index` distinguishes it from others of the answer. */
export function textDetail(signature: string, index: number): ReasoningDetail {
  return { type: 'reasoning.encrypted', data: signature, format, index }
}

export function thoughtDetail(text: string, signature: string, index: number): ReasoningDetail {
  return { type: 'reasoning.text', text, signature, format, index }
}

export interface Signatures {
  thoughts: JsonObject[]
  ofText: string | null
  ofCalls: ReadonlyMap<string, string>
}

export function readSignatures(details: readonly ReasoningDetail[]): Signatures {
  const thoughts: JsonObject[] = []
  const ofCalls = new Map<string, string>()
  let ofText: string | null = null
  for (const detail of details) {
    if (detail.format !== format) continue
    const { type, text, signature, data, id } = detail
    if (type === 'reasoning.text' && isSignature(signature)) {
      thoughts.push({ text: text ?? '', thought: true, thoughtSignature: signature })
    } else if (type === 'reasoning.encrypted' && isSignature(data)) {
      if (id) ofCalls.set(id, data)
      else ofText = data
    }
  }
  return { thoughts, ofText, ofCalls }
}

/** The signatures of a turn's calls. Only the first call needs one: the others were made with it. */
export function callSignatures(
  calls: readonly ToolCall[],
  known: ReadonlyMap<string, string>,
  needsSignatures: boolean,
): (string | null)[] {
  return calls.map(({ id, signature }, index) => {
    if (isSignature(signature)) return signature
    return known.get(id) ?? (index === 0 && needsSignatures ? unknownSignature : null)
  })
}

function isSignature(value: unknown): value is string {
  return typeof value === 'string' && /^[\w+/-]+={0,2}$/.test(value)
}
