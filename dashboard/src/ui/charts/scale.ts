// Where values and columns stand in a chart.

export interface Area {
  width: number
  height: number
  left: number
  bottom: number
}

const maxSteps = 4
const factors = [1, 2, 2.5, 5, 10]

/** Round values from zero on that include the largest one: `[0, 500, 1000, 1500]`. Counts have no half of one. */
export function ticksFor(max: number, { isWhole = false } = {}): number[] {
  if (max <= 0) return [0, 1]
  const rough = isWhole ? Math.max(1, max / maxSteps) : max / maxSteps
  const power = 10 ** Math.floor(Math.log10(rough))
  const allowed = factors.filter(factor => !isWhole || Number.isInteger(factor * power))
  const step = (allowed.find(factor => factor * power >= rough) ?? 10) * power
  const steps = Math.ceil(max / step - 1e-9)
  // Not summed up: 0.1 + 0.2 would be shown with all its digits.
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/**
 * The columns whose labels are shown, evenly, and the middle of each label: no two touch and none is cut. The first one
 * may reach into the margin on the left, below the axis of the values.
 */
export function labelled(
  columns: number,
  labelWidth: number,
  { width, left }: Pick<Area, 'width' | 'left'>,
): Map<number, number> {
  const step = (width - left) / Math.max(1, columns)
  const first = Math.max(left + step / 2, labelWidth / 2)
  const every = Math.max(1, Math.ceil(Math.max(labelWidth, first + labelWidth - left - step / 2) / step))
  const middles = new Map([[0, first]])
  for (let index = every; index < columns; index += every) {
    const middle = left + (index + 0.5) * step
    if (middle + labelWidth / 2 <= width) middles.set(index, middle)
  }
  return middles
}

/** The column at this place of the chart, or null outside of all. */
export function columnAt(x: number, columns: number, { width, left }: Area): number | null {
  const index = Math.floor(((x - left) / (width - left)) * columns)
  return index >= 0 && index < columns ? index : null
}
