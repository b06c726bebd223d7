// Cuts the rows of a batch into groups of a few lengths, so that each statement that adds one is prepared once.

const lengths = [64, 16, 4, 1]

export function inGroups<Row>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  let at = 0
  for (const length of lengths) {
    for (; at + length <= rows.length; at += length) groups.push(rows.slice(at, at + length))
  }
  return groups
}
