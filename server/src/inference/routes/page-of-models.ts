// Pages of the list of models, as Anthropic's clients ask for them: `limit`, with `after_id` or `before_id`.

import { Refusal } from '../../domain/errors.ts'

interface ModelPage {
  ids: readonly string[]
  /** Absent from a list that is returned whole, as OpenAI's clients expect it. */
  has_more?: boolean
  first_id?: string | null
  last_id?: string | null
}

/** Anthropic's. */
const defaultLimit = 20
const maxLimit = 1_000

export function pageOf(ids: readonly string[], query: Readonly<Record<string, string | string[]>>): ModelPage {
  const { limit, after_id: after, before_id: before } = query
  if (limit === undefined && after === undefined && before === undefined) return { ids }
  if (after !== undefined && before !== undefined) {
    throw invalid('before_id', 'after_id and before_id cannot be combined')
  }
  const size = readLimit(limit)
  const start = after === undefined ? 0 : indexOf(ids, after, 'after_id') + 1
  const end = before === undefined ? ids.length : indexOf(ids, before, 'before_id')
  const page = before === undefined ? ids.slice(start, start + size) : ids.slice(Math.max(0, end - size), end)
  return {
    ids: page,
    has_more: page.length < end - start,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  }
}

function readLimit(limit: string | string[] | undefined): number {
  if (limit === undefined) return defaultLimit
  const size = typeof limit === 'string' && /^[0-9]{1,4}$/.test(limit) ? Number(limit) : 0
  if (size < 1 || size > maxLimit) throw invalid('limit', `limit must be an integer 1-${maxLimit}`)
  return size
}

function indexOf(ids: readonly string[], id: string | string[], param: string): number {
  const index = typeof id === 'string' ? ids.indexOf(id) : -1
  if (index === -1) throw invalid(param, `${param} must be the id of a model of this list`)
  return index
}

function invalid(param: string, message: string): Refusal {
  return new Refusal('invalid_request', { message, param })
}
