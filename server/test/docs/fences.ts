// Reads the fenced code of the documentation's pages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Fence {
  /** Relative to the checkout: `docs/start.md`. */
  page: string
  /** The heading above, without the number signs; empty before the first one. */
  section: string
  language: string
  code: string
}

export const checkout = join(import.meta.dirname, '../../..')

/** All fences of a page, in their order. `root` is the checkout whose page it is. */
export function readFences(page: string, root: string = checkout): Fence[] {
  const fences: Fence[] = []
  let section = ''
  let open: { indent: string; language: string; lines: string[] } | null = null
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const [, indent = '', language = ''] = /^( *)```(\w*)$/.exec(line) ?? []
    const isMark = /^ *```\w*$/.test(line)
    if (open !== null && isMark) {
      fences.push({ page, section, language: open.language, code: `${open.lines.join('\n')}\n` })
      open = null
    } else if (open !== null) open.lines.push(line.slice(open.indent.length))
    else if (isMark) open = { indent, language, lines: [] }
    else section = /^#+ (.*)$/.exec(line)?.[1] ?? section
  }
  if (open !== null) throw new Error(`${page} has a fence that does not end`)
  return fences
}
