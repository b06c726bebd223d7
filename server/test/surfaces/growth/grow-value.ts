// Walks a JSON value, such as an answer of a provider: for each array, object and text in it, the same value with that
// one as large as one wants.

import type { JsonObject } from '../../../src/domain/json-object.ts'
import { maxNames } from '../../../src/http/read-body.ts'
import type { Growing } from './grow-schema.ts'

export function* growValue(value: unknown, place = ''): Generator<Growing> {
  if (typeof value === 'string') {
    yield { place, make: parts => 'some 12 '.repeat(parts) }
  } else if (Array.isArray(value)) {
    yield* growList(value, place)
  } else if (typeof value === 'object' && value !== null) {
    yield { place: `${place}{}`, maxParts: maxNames, make: parts => ({ ...value, ...membersOf(parts) }) }
    for (const [name, member] of Object.entries(value)) {
      for (const inner of growValue(member, `${place}.${name}`)) {
        yield { ...inner, make: parts => ({ ...value, [name]: inner.make(parts) }) }
      }
    }
  }
}

function* growList(list: readonly unknown[], place: string): Generator<Growing> {
  for (const [index, item] of list.entries()) {
    yield {
      place: `${place}[${index}]`,
      make: parts => [...list.slice(0, index), ...many(item, parts), ...list.slice(index + 1)],
    }
    for (const inner of growValue(item, `${place}[${index}]`)) {
      yield { ...inner, make: parts => list.with(index, inner.make(parts)) }
    }
  }
}

/** Copies whose positions and ids differ. */
export function many(item: unknown, parts: number): unknown[] {
  const text = JSON.stringify(item)
  return Array.from({ length: parts }, (_, at) => renumber(JSON.parse(text), at))
}

const positions = ['index', 'contentBlockIndex', 'content_index', 'output_index', 'id', 'call_id', 'toolUseId']

function renumber(value: unknown, at: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const [name, member] of Object.entries(value)) {
    if (positions.includes(name))
      (value as JsonObject)[name] = typeof member === 'number' ? at : `${String(member)}${at}`
  }
  return value
}

function membersOf(parts: number): JsonObject {
  return Object.fromEntries(Array.from({ length: parts }, (_, at) => [`x${at}`, at]))
}
