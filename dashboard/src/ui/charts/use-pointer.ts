// The column of a chart under the pointer, and the columns that it is dragged over.
import { type PointerEvent, useRef, useState } from 'react'
import { type Area, columnAt } from './scale.ts'
import type { PlotProps } from './series.ts'

type Brush = PlotProps<never>['brush']

export function usePointer(columns: number, area: Area, brush: Brush) {
  const [pointed, setPointed] = useState<number | null>(null)
  /** The first column and the last one, while the pointer is dragged. */
  const [brushed, setBrushed] = useState<[number, number] | null>(null)
  /** Where the pointer went down, and where it was last: several events may come before the chart is drawn again. */
  const drag = useRef<{ began: number; last: number } | null>(null)
  const columnOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number | null =>
    columnAt(clientX - currentTarget.getBoundingClientRect().left, columns, area)
  const end = (): void => {
    drag.current = null
    setBrushed(null)
  }
  const follow = (event: PointerEvent<HTMLElement>): void => {
    const column = columnOf(event)
    if (drag.current === null) {
      setPointed(column)
      return
    }
    const { began, last } = drag.current
    drag.current = { began, last: column ?? last }
    setPointed(drag.current.last)
    setBrushed(endsOf(drag.current))
  }
  return {
    pointed,
    brushed,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        const column = columnOf(event)
        if (brush === null || event.button !== 0 || column === null) return
        // The pointer may leave the chart, and come back.
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { began: column, last: column }
      },
      onPointerMove: follow,
      onPointerUp(event: PointerEvent<HTMLElement>) {
        follow(event)
        const [first, last] = drag.current === null ? [0, 0] : endsOf(drag.current)
        end()
        if (first !== last) brush?.(first, last)
      },
      onPointerCancel: end,
      onPointerLeave: () => drag.current === null && setPointed(null),
    },
  }
}

const endsOf = ({ began, last }: { began: number; last: number }): [number, number] => [
  Math.min(began, last),
  Math.max(began, last),
]
