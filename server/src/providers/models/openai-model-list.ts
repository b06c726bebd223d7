// Reads OpenAI's list format, which many other providers use: only names, and rarely a second page.

import type { JsonObject } from '../../domain/json-object.ts'
import { listedModel, type ModelPage, readFlag, readObjects, readText } from './model-page.ts'

export function readOpenAiPage(body: JsonObject): ModelPage | null {
  const entries = readObjects(body['data'])
  if (entries === null) return null
  const models = entries.flatMap(({ id }) => {
    const model = readText(id)
    return model === null ? [] : [listedModel({ model })]
  })
  const lastId = readText(body['last_id'])
  return { models, next: readFlag(body['has_more']) && lastId !== null ? { after: lastId } : null }
}
