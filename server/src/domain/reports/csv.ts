// Writes CSV (RFC 4180) that spreadsheets do not take for formulas.

/** A spreadsheet runs a cell that begins so; the quote makes it text. */
const formulaStart = /^[=+\-@＝＋－＠\p{Cc}]/u
const needsQuotes = /[",\r\n]/

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

function writeCell(cell: string | number): string {
  const text = typeof cell === 'string' && formulaStart.test(cell) ? `'${cell}` : String(cell)
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
