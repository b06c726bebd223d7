// The part of a chart that is shown: all of it, or the columns that were chosen.
import { useState } from 'react'

export interface Zoom<Row> {
  shown: readonly Row[]
  isZoomed: boolean
  canZoomIn: boolean
  /** Both included, as columns of what is shown. */
  choose: (first: number, last: number) => void
  /** The middle half of what is shown. */
  zoomIn: () => void
  /** By half of what is shown: earlier for -1, later for 1. */
  move: (direction: -1 | 1) => void
  showAll: () => void
}

/** Fewer columns would show nothing more. */
const minColumns = 2

/** The ends are kept by their labels: rows come and go while the chart is shown. */
export function useZoom<Row>(rows: readonly Row[], labelOf: (row: Row) => string): Zoom<Row> {
  const [ends, setEnds] = useState<readonly [string, string] | null>(null)
  const [first = 0, last = rows.length - 1] = ends?.map(end => rows.findIndex(row => labelOf(row) === end)) ?? []
  const isZoomed = ends !== null && first !== -1 && last !== -1
  const from = isZoomed ? first : 0
  const count = (isZoomed ? last + 1 : rows.length) - from
  const show = (start: number, wanted: number): void => {
    const columns = Math.min(rows.length, Math.max(minColumns, wanted))
    const begin = Math.max(0, Math.min(rows.length - columns, start))
    const [begins, ends] = [rows[begin], rows[begin + columns - 1]]
    if (begins !== undefined && ends !== undefined) setEnds([labelOf(begins), labelOf(ends)])
  }
  return {
    shown: rows.slice(from, from + count),
    isZoomed,
    canZoomIn: count > minColumns,
    choose: (chosenFirst, chosenLast) => show(from + chosenFirst, chosenLast - chosenFirst + 1),
    zoomIn: () => show(from + Math.floor(count / 4), Math.ceil(count / 2)),
    move: direction => show(from + direction * Math.max(1, Math.floor(count / 2)), count),
    showAll: () => setEnds(null),
  }
}
