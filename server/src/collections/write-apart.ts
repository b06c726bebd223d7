// Writes a batch of rows, and where it is rejected, its halves, so that a row that cannot be stored takes no other with
// it.

interface ApartWriting<Row> {
  write(rows: readonly Row[]): Promise<void>
  /** Whether the storage is unavailable, so that every row would be rejected. */
  isOutage(error: unknown): boolean
  onRejected(row: Row, error: unknown): void
}

/** Returns the rows that an outage left unwritten. */
export async function writeApart<Row>(batch: readonly Row[], writing: ApartWriting<Row>): Promise<Row[]> {
  const waiting: (readonly Row[])[] = [batch]
  for (let rows = waiting.shift(); rows !== undefined; rows = waiting.shift()) {
    try {
      await writing.write(rows)
    } catch (error) {
      if (writing.isOutage(error)) return [rows, ...waiting].flat()
      const middle = rows.length >> 1
      if (middle > 0) waiting.unshift(rows.slice(0, middle), rows.slice(middle))
      else for (const row of rows) writing.onRejected(row, error)
    }
  }
  return []
}
