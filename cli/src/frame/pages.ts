// Lists that come in pages: the options of all of them, and the hint to the next page.
import { type CommandInput, textOption } from './command.ts'
import { Failure } from './failure.ts'

export const pageOptions = [
  ['--limit <count>', 'at most so many rows, up to 200 (default: 50)'],
  ['--cursor <cursor>', 'go on after a former page'],
] as const

export function readPage(input: CommandInput): { limit?: number; cursor?: string } {
  const [limit, cursor] = [textOption(input, 'limit'), textOption(input, 'cursor')]
  return { ...(limit === undefined ? {} : { limit: readCount(limit) }), ...(cursor === undefined ? {} : { cursor }) }
}

export function withNext(text: string, cursor: string | null): string {
  return cursor === null ? text : `${text}\nMore: the same command with --cursor ${cursor}`
}

function readCount(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new Failure('--limit must be a number up to 200')
}
