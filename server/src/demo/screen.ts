// Lays out the demo's texts: columns and colours at a terminal, plain text one below another for all other readers.

import { styleText } from 'node:util'

export interface Screen {
  printTitle(text: string): void
  /** Side by side where there is room. */
  printTexts(texts: readonly TitledText[]): void
  print(text: string): void
}

interface TitledText {
  title: string
  text: string
}

interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const minColumns = 100
const maxColumns = 160
const gap = '   '
const maskToken = /<[A-Z_]+_[0-9a-f]{12}>/g

export function createScreen(output: Output & NodeJS.WritableStream): Screen {
  const isTerminal = output.isTTY === true
  // Without the check for a terminal, FORCE_COLOR would colour text that a program reads.
  const style = (format: 'bold' | 'cyan', text: string) =>
    isTerminal ? styleText(format, text, { stream: output }) : text
  const colour = (line: string) => line.replace(maskToken, token => style('cyan', token))
  const print = (text: string) => void output.write(`${text}\n`)
  return {
    print,
    printTitle: text => print(`\n${style('bold', text)}\n`),
    printTexts(texts) {
      const width = isTerminal ? (output.columns ?? 0) : 0
      if (width < minColumns) {
        for (const { title, text } of texts) print(`${title}:\n  ${colour(text)}`)
        return
      }
      const [titles = '', ...lines] = layOut(texts, Math.min(width, maxColumns))
      print(style('bold', titles))
      for (const line of lines) print(colour(line))
    },
  }
}

/** The lines of a table with one column for each text. */
function layOut(texts: readonly TitledText[], width: number): string[] {
  const columnWidth = Math.floor((width - gap.length * (texts.length - 1)) / texts.length)
  const columns = texts.map(({ title, text }) => [title, ...wrap(text, columnWidth)])
  const height = Math.max(...columns.map(lines => lines.length))
  return Array.from({ length: height }, (_, row) =>
    columns
      .map(lines => (lines[row] ?? '').padEnd(columnWidth))
      .join(gap)
      .trimEnd(),
  )
}

/** Breaks between words, and within a word that is longer than a line. */
function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(...(word.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? []))
  }
  return lines[0] === '' ? lines.slice(1) : lines
}
