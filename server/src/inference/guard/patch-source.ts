// Masks values in the body that a client sent, so that a provider of its format gets every other byte of it unchanged.

import type { Message, RequestSource } from '../../domain/conversation/prompt.ts'
import { parseJson } from '../../domain/json-object.ts'
import { editJson, type Replacement } from '../../guardrails/text-edits.ts'
import { createBreath } from '../../guardrails/work-budget.ts'
import type { Turn } from '../turn.ts'

/**
 * `masked` are the messages of the source after the replacement. Null if the body that comes out does not say the same:
 * a value stood at a place that only the messages show.
 */
export async function patchSource(
  { call, endpoint, surface }: Pick<Turn, 'call' | 'endpoint' | 'surface'>,
  source: RequestSource,
  masked: readonly Message[],
  replacement: Replacement,
): Promise<RequestSource | null> {
  if (surface.places === undefined) return null
  const breathe = createBreath()
  const text = editJson(Buffer.from(source.body).toString('utf8'), surface.places, replacement)
  await breathe()
  const value = parseJson(text)
  await breathe()
  const body = Buffer.from(text)
  const { prompt } = endpoint.estimate(value, body).read(call.rules)
  await breathe()
  if (prompt.messages.length !== masked.length) return null
  for (const [index, message] of prompt.messages.entries()) {
    if (JSON.stringify(message) !== JSON.stringify(masked[index])) return null
    await breathe()
  }
  return { body, messages: masked }
}
