// Where a command's output goes: results to stdout, all else to stderr. Colours only on terminals.
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Infinite where the output is read by a program. */
export const terminalWidth = () => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)

/** Respects NO_COLOR and the terminal. */
export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout) =>
  styleText(style, text, { stream })

export function print(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`)
}

export function printError(text: string): void {
  process.stderr.write(`${text}\n`)
}

const patienceMs = 1000

/** Says on a terminal that it is still at work, once that takes longer than a second. */
export async function withProgress<T>(words: string, work: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return await work
  let isShown = false
  const timer = setTimeout(() => {
    isShown = true
    process.stderr.write(`${words} …`)
  }, patienceMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (isShown) process.stderr.write('\r\u001b[K')
  }
}
