// Reads the comparison table and the figures of README.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const checkout = join(import.meta.dirname, '../../..')
const readme = readFileSync(join(checkout, 'README.md'), 'utf8')

interface Row {
  /** Without links. */
  name: string
  /** The targets of the links in the name and in our cell. */
  links: string[]
  /** One for each thing that the name lists: `✓` or `–`, or a text. */
  ours: string[]
}

export function readComparison(): Row[] {
  return tableRows(sectionOf('Compared with others')).map(([name = '', ours = '']) => ({
    name: withoutLinks(name),
    links: [...`${name} ${ours}`.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target),
    ours: withoutLinks(ours)
      .split(/[;,] /)
      .map(claim => claim.trim()),
  }))
}

/** The rows of the table of measurements, and those of the result file that its section names, by their first cell. */
export function readFigures(): { file: string; shown: string[][]; measured: string[][] } {
  const section = sectionOf('Measured')
  const file = /\((bench\/results\/[^)]+\.md)\)/.exec(section)?.[1]
  if (file === undefined) throw new Error('The section "Measured" of README names no file of bench/results')
  const results = readFileSync(join(checkout, file), 'utf8')
  const mode = results.slice(results.indexOf('| 1 KB, 32 connections'))
  return { file, shown: tableRows(section), measured: tableRows(mode.slice(0, mode.indexOf('\n\n'))) }
}

export function readPage(path: string): string {
  return readFileSync(join(checkout, path), 'utf8')
}

function sectionOf(title: string): string {
  const section = readme.split(/^## /m).find(each => each.startsWith(`${title}\n`))
  if (section === undefined) throw new Error(`README has no section "${title}"`)
  return section
}

function tableRows(text: string): string[][] {
  const lines = text.split('\n').filter(line => line.startsWith('|'))
  return lines.slice(2).map(line =>
    line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim()),
  )
}

function withoutLinks(cell: string): string {
  return cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
