// Reads the rows of a tenant or a project for an export, a page of one table at a time, bounded in rows and
// bytes, and converts them to the export's format. Hidden columns must not leave this file.

import { type Kysely, sql as text } from 'kysely'
import { readLateIndexed } from '../late-index/read.ts'
import type { Schema } from '../schema.ts'
import type { OwnedTable } from './owned-tables.ts'

type Row = Record<string, unknown>

const pageRows = 500
/** The maximum for the values of a large column on one page. */
const pageBytes = 4 * 1024 * 1024

/** Yields pages of converted rows, ordered by the key unless the index is a late one. No page is empty. */
export async function* readRows(sql: Kysely<Schema>, table: OwnedTable, ownerId: string): AsyncGenerator<Row[]> {
  const { lateIndex } = table
  const pages = lateIndex === undefined ? readPages(sql, table, ownerId) : readLateIndexed(sql, lateIndex, ownerId)
  for await (const rows of pages) yield rows.map(row => show(table, row))
}

async function* readPages(sql: Kysely<Schema>, table: OwnedTable, ownerId: string): AsyncGenerator<Row[]> {
  let after: Row | null = null
  for (;;) {
    const rows: Row[] = await readPage(sql, table, ownerId, after)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    if (table.key.length === 0) return
    after = last
  }
}

async function readPage(
  sql: Kysely<Schema>,
  { name, owner, key, large }: OwnedTable,
  ownerId: string,
  after: Row | null,
): Promise<Row[]> {
  const columns = key.map(column => text.ref(column))
  const from = text`from ${text.table(name)} where ${text.ref(owner)} = ${ownerId}`
  if (key.length === 0) return (await text<Row>`select * ${from}`.execute(sql)).rows
  const bounded =
    after === null ? from : text`${from} and (${text.join(columns)}) > (${text.join(valuesOf(key, after))})`
  const ordered = text`order by ${text.join(columns)}`
  if (large === undefined) {
    return (await text<Row>`select * ${bounded} ${ordered} limit ${pageRows}`.execute(sql)).rows
  }
  const sizes = large.map(column => text`coalesce(octet_length(${text.ref(column)}), 0)`)
  const size = text`${text.join(sizes, text` + `)} as row_bytes`
  const sized = await text<Row>`select ${text.join(columns)}, ${size} ${bounded} ${ordered} limit ${pageRows}`.execute(
    sql,
  )
  const last = lastThatFits(sized.rows)
  if (last === undefined) return []
  const upTo = text`(${text.join(columns)}) <= (${text.join(valuesOf(key, last))})`
  return (await text<Row>`select * ${bounded} and ${upTo} ${ordered}`.execute(sql)).rows
}

const valuesOf = (key: readonly string[], row: Row) => key.map(column => row[column])

/** Returns the last row that fits on the page. The first row always fits, however large it is. */
function lastThatFits(rows: readonly Row[]): Row | undefined {
  let bytes = 0
  let last = rows[0]
  for (const row of rows) {
    bytes += Number(row['row_bytes'])
    if (bytes > pageBytes) break
    last = row
  }
  return last
}

function show({ hidden = [], json = [], flags = [] }: OwnedTable, row: Row): Row {
  const shown: Row = {}
  for (const [column, value] of Object.entries(row)) {
    if (hidden.includes(column)) continue
    if (json.includes(column)) shown[column] = value === null ? null : JSON.parse(String(value))
    else if (flags.includes(column)) shown[column] = value === 1
    else if (column === 'cost_nanousd') shown['cost_usd'] = Number(value) / 1e9
    else if (column.endsWith('_at') && typeof value === 'number') shown[column] = new Date(value).toISOString()
    else shown[column] = value
  }
  return shown
}
