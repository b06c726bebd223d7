// How many parts of a growing text the product takes: up to 100,000, fewer if that would miss its bounds.

import { maxAnswerValues, maxValues } from '../../../src/domain/json-values.ts'

const most = 100_000
const sample = 1_000
/** Numbers of many digits are longer than those of the sample. */
const margin = 0.9

interface Bounds {
  make(parts: number): string
  maxParts?: number | undefined
  maxBytes: number
  /** Whether the parts are values of one JSON text. */
  isOneText: boolean
  isAnswer?: boolean
}

export function mostParts({ make, maxParts = most, maxBytes, isOneText, isAnswer = false }: Bounds): number {
  const text = make(sample)
  const fitting = [(maxBytes / text.length) * sample * margin]
  const values = isAnswer ? maxAnswerValues : maxValues
  if (isOneText) fitting.push((values / countValues(text)) * sample * margin)
  return Math.floor(Math.max(4, Math.min(most, maxParts, ...fitting)))
}

function countValues(text: string): number {
  return [...text.replace(/"(?:[^"\\]|\\.)*"/g, '"').matchAll(/["[{]/g)].length
}
