// Values of statements and rows as JSON can carry them: bytes become an object that no row contains.

type Carried = string | number | null | { bytes: string }

export function carry(value: unknown): Carried {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  if (typeof value === 'bigint') return Number(value)
  // SQLite rejects what it cannot bind.
  return value as Carried
}

export function uncarry(carried: unknown): unknown {
  if (typeof carried !== 'object' || carried === null) return carried
  return new Uint8Array(Buffer.from((carried as { bytes: string }).bytes, 'base64'))
}

export function carryRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  for (const name in row) {
    if (typeof row[name] === 'object' && row[name] !== null) {
      return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, carry(value)]))
    }
  }
  return row
}

export function uncarryRow(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) if (typeof row[name] === 'object') row[name] = uncarry(row[name])
  return row
}
