// Reads docs/: its Markdown pages by name, its pictures, and the order of the pages, which docs/README.md defines.
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseBlocks } from './markdown/parse-blocks.ts'

export interface DocsFolder {
  /** By name without `.md`, such as `start` or `decisions/0009-own-upstream-client`. */
  pages: Map<string, string>
  /** Paths of pictures by name, such as `request-light.svg` or `images/dashboard/usage.png`. */
  pictures: Map<string, string>
  groups: { title: string; pages: { name: string; title: string }[] }[]
}

/** The page that lists all others. */
export const indexPage = 'README'

const entry = /^\[([^\]]+)\]\(([^)\s]+)\.md\)$/

export function readDocsFolder(folder: string): DocsFolder {
  const find = (pattern: string) => globSync(pattern, { cwd: folder }).sort()
  const nameOf = (path: string) => path.split(sep).join('/')
  const pages = new Map(
    find('**/*.md').map(path => [nameOf(path).replace(/\.md$/, ''), readFileSync(join(folder, path), 'utf8')]),
  )
  const pictures = new Map(find('**/*.{svg,png}').map(path => [nameOf(path), join(folder, path)]))
  return { pages, pictures, groups: readGroups(pages.get(indexPage) ?? '') }
}

/** Each heading of the index with the list of links below it. */
function readGroups(index: string): DocsFolder['groups'] {
  const groups: DocsFolder['groups'] = []
  for (const block of parseBlocks(index)) {
    if (block.kind === 'heading' && block.level === 2) groups.push({ title: block.text, pages: [] })
    if (block.kind !== 'list') continue
    for (const [item] of block.items) {
      const [, title, name] = (item?.kind === 'paragraph' && entry.exec(item.text)) || []
      if (title !== undefined && name !== undefined) groups.at(-1)?.pages.push({ title, name })
    }
  }
  return groups
}
