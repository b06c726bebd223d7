// Converts Gemini's log probabilities into OpenAI's form.

import type { Logprobs } from '../../../domain/conversation/answer.ts'
import { LazyList } from '../../../domain/json/lazy-list.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'

/** Null if there are none. */
export function readLogprobs(result: unknown): Logprobs | null {
  if (!isJsonObject(result) || !Array.isArray(result['chosenCandidates'])) return null
  const tops = Array.isArray(result['topCandidates']) ? result['topCandidates'] : []
  const all = result['chosenCandidates'].filter(isJsonObject)
  const content = new LazyList(all.length, index => {
    const top: unknown = tops[index]
    const others = isJsonObject(top) && Array.isArray(top['candidates']) ? top['candidates'].filter(isJsonObject) : []
    return { ...readToken(all[index] ?? {}), top_logprobs: others.map(readToken) }
  })
  return content.length === 0 ? null : { content, refusal: null }
}

function readToken({ token, logProbability }: JsonObject) {
  const text = typeof token === 'string' ? token : ''
  return {
    token: text,
    logprob: typeof logProbability === 'number' ? logProbability : 0,
    bytes: [...Buffer.from(text)],
  }
}
