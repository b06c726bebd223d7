// Where values and columns stand in a chart.

export interface Area {
  width: number
  height: number
  left: number
  bottom: number
}

/** Round values from zero on that include the largest one: `[0, 500, 1000, 1500]`. */
export function ticksFor(max: number, count = 4): number[] {
  if (max <= 0) return [0, 1]
  const rough = max / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find(factor => factor * power >= rough) ?? 10) * power
  const steps = Math.ceil(max / step - 1e-9)
  // Not summed up: 0.1 + 0.2 would be shown with all its digits.
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/**
 * The columns whose labels are shown, so that no two touch and none is cut. The first label begins at its column, the
 * others stand at the middle of theirs.
 */
export function labelled(columns: number, width: number, labelWidth: number): number[] {
  const every = Math.max(1, Math.ceil((columns * labelWidth) / Math.max(1, width)))
  const hasRoom = (index: number): boolean => {
    const middle = ((index + 0.5) * width) / columns
    return index === 0 || (middle >= 1.5 * labelWidth && middle + labelWidth / 2 <= width)
  }
  return Array.from({ length: columns }, (_, index) => index).filter(index => index % every === 0 && hasRoom(index))
}

/** The column at this place of the chart, or null outside of all. */
export function columnAt(x: number, columns: number, { width, left }: Area): number | null {
  const index = Math.floor(((x - left) / (width - left)) * columns)
  return index >= 0 && index < columns ? index : null
}
