// The rows of a table as a CSV file (RFC 4180), as spreadsheets read it.
import type { Column, Value } from './column.ts'

/** A spreadsheet takes a text that begins so for a formula. */
const formula = /^[=+\-@\t\r]/

export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ title, value }) => (value === undefined ? [] : [{ title, value }]))
  const lines = [written.map(({ title }) => title), ...rows.map(row => written.map(({ value }) => value(row)))]
  return lines.map(line => `${line.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
