// Reads the response of Presidio's analyzer to one text. Its offsets count code points, ours UTF-16 units.

import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { EntityName } from '../../domain/settings/settings.ts'
import { confidenceThreshold, type Finding } from '../finding.ts'
import { RecogniserFailure } from './recogniser-failure.ts'

/**
 * Returns the matches of the wanted types at or above the threshold, in the order of the text. Throws RecogniserFailure
 * if any entry is invalid: the others could then be wrong, too.
 */
export function readRecognised(response: string, text: string, wanted: ReadonlySet<EntityName>): Finding[] {
  const finds = listOf(response).map(readMatch)
  finds.sort((one, other) => one.start - other.start || other.end - one.end)
  toUnits(finds, text)
  return finds.filter(({ type, score }) => wanted.has(type) && score >= confidenceThreshold)
}

function listOf(response: string): unknown[] {
  const value = parseJson(response)
  if (!Array.isArray(value)) throw new RecogniserFailure('malformed')
  return value
}

function readMatch(entry: unknown): Finding {
  if (!isJsonObject(entry)) throw new RecogniserFailure('malformed')
  const { entity_type: type, start, end, score } = entry
  if (typeof type !== 'string' || !isOffset(start) || !isOffset(end) || start >= end || !isScore(score)) {
    throw new RecogniserFailure('malformed')
  }
  return { type, start, end, score }
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isScore(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1
}

/** Changes the offsets in place, in one pass over the text. */
function toUnits(finds: Finding[], text: string): void {
  if (!/[\ud800-\udbff]/.test(text)) {
    if (finds.some(({ end }) => end > text.length)) throw new RecogniserFailure('malformed')
    return
  }
  const units = new Map<number, number>()
  const offsets = [...new Set(finds.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other)
  let points = 0
  let unit = 0
  for (const offset of offsets) {
    for (; points < offset && unit < text.length; points++) unit += unitsAt(text, unit)
    if (points < offset) throw new RecogniserFailure('malformed')
    units.set(offset, unit)
  }
  for (const find of finds) {
    find.start = units.get(find.start)!
    find.end = units.get(find.end)!
  }
}

function unitsAt(text: string, unit: number): number {
  return text.codePointAt(unit)! > 0xffff ? 2 : 1
}
