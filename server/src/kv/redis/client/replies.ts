// Checks the types of Redis replies.

export function textOf(reply: unknown): string {
  if (typeof reply === 'string') return reply
  throw unexpected('text')
}

/** Redis returns the numbers in hashes and strings as text. */
export function numberOf(reply: unknown): number {
  const number = typeof reply === 'string' && reply !== '' ? Number(reply) : reply
  if (typeof number === 'number' && !Number.isNaN(number)) return number
  throw unexpected('a number')
}

export function listOf(reply: unknown): unknown[] {
  if (Array.isArray(reply)) return reply
  throw unexpected('a list')
}

/** Takes a list of fields and values in turn, or an object. */
export function fieldsOf(reply: unknown): Record<string, string> {
  if (!Array.isArray(reply) && typeof reply === 'object' && reply !== null) {
    return Object.fromEntries(Object.entries(reply).map(([field, value]) => [field, textOf(value)]))
  }
  const list = listOf(reply).map(textOf)
  const fields: Record<string, string> = {}
  for (let i = 0; i + 1 < list.length; i += 2) fields[list[i] ?? ''] = list[i + 1] ?? ''
  return fields
}

function unexpected(wanted: string): Error {
  return new Error(`Redis answered something other than ${wanted}`)
}
