// Scores a short text as a whole, and windows of every text, so that a short attack in it is not averaged away: some
// sentences, and the length of a usual role-play prompt. Where the grammar matches, the sentence alone too.

import type { NgramReading } from './ngrams.ts'

/** What one score is for. Each has weights of its own. */
export const extents = ['whole', 'window'] as const
export type Extent = (typeof extents)[number]

export const windowWidths = [24, 80] as const
/** Narrow windows without a match cut quotes and questions about attacks from what makes them harmless. */
const widthsAroundMatch = [12, ...windowWidths]
/** A window begins at every fourth part of its width. */
const stepsPerWidth = 4

export interface Window {
  /** Tokens; `end` is exclusive. */
  start: number
  end: number
}

/** Calls `visit` for each window. A text shorter than a width has one window of it and none of the others. */
export function eachWindow(extent: Extent, count: number, visit: (start: number, end: number) => void): void {
  if (extent === 'whole') {
    visit(0, count)
    return
  }
  for (const width of windowWidths) {
    if (count <= width) {
      visit(0, count)
      return
    }
    const step = Math.ceil(width / stepsPerWidth)
    let start = 0
    for (; start + width < count; start += step) visit(start, start + width)
    visit(count - width, count)
  }
}

/** Calls `visit` for those windows that contain the token, and for narrower ones. */
export function eachWindowAround(
  extent: Extent,
  count: number,
  token: number,
  visit: (start: number, end: number) => void,
): void {
  if (extent === 'whole') {
    visit(0, count)
    return
  }
  for (const width of widthsAroundMatch) {
    if (count <= width) {
      visit(0, count)
      return
    }
    const step = Math.ceil(width / stepsPerWidth)
    const first = Math.max(0, Math.ceil((token - width + 1) / step) * step)
    for (let start = first; start <= token && start + width < count; start += step) visit(start, start + width)
    if (token >= count - width) visit(count - width, count)
  }
}

/** The square root keeps the score of a long window comparable with that of a short one. */
export function scoreOf(sum: number, ngrams: number): number {
  return ngrams === 0 ? 0 : sum / Math.sqrt(ngrams)
}

export const ngramsIn = ({ ends }: NgramReading, start: number, end: number): number => ends[end]! - ends[start]!

/** The token that begins at `position` of the view, or the last one before it. */
export function tokenAt({ starts, count }: NgramReading, position: number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= position) low = middle
    else high = middle - 1
  }
  return low
}
