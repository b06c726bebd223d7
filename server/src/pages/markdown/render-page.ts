// Renders a Markdown page as HTML, and its sections as plain text. Headings get the same anchors as on code forges, so
// that links work in both places.
import { escapeHtml } from '../../http/markup.ts'
import { highlight } from './highlight.ts'
import { type Block, parseBlocks } from './parse-blocks.ts'
import { plainText, type Resolve, renderInline } from './render-inline.ts'

/** A heading and the text up to the next heading. */
export interface Section {
  /** Empty for a heading of level one. */
  anchor: string
  level: number
  title: string
  text: string
  /** What a search shows of the section, if not its text: lists of names are found and not shown. */
  summary?: string
}

export interface RenderedPage {
  title: string
  html: string
  /** The first section has the page's title. */
  sections: Section[]
}

export function renderPage(markdown: string, resolve: Resolve): RenderedPage {
  const blocks = parseBlocks(markdown)
  const anchors = createAnchors()
  const sections: Section[] = []
  const html = blocks.map(block => {
    if (block.kind !== 'heading') {
      const section = sections.at(-1)
      if (section !== undefined) section.text += `${textOf(block)}\n`
      return renderBlock(block, resolve)
    }
    const title = plainText(block.text)
    const anchor = anchors(title)
    sections.push({ anchor: block.level === 1 ? '' : anchor, level: block.level, title, text: '' })
    const tag = `h${block.level}`
    return `<${tag} id="${escapeHtml(anchor)}">${renderInline(block.text, resolve)}</${tag}>`
  })
  return { title: sections[0]?.title ?? '', html: html.join('\n'), sections }
}

function createAnchors(): (title: string) => string {
  const counts = new Map<string, number>()
  return title => {
    const plain = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(plain) ?? 0
    counts.set(plain, count + 1)
    return count === 0 ? plain : `${plain}-${count}`
  }
}

function renderBlock(block: Block, resolve: Resolve): string {
  const inline = (text: string) => renderInline(text, resolve)
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${inline(block.text)}</h${block.level}>`
    case 'paragraph':
      return `<p>${inline(block.text)}</p>`
    case 'code':
      return `<pre tabindex="0"><code>${highlight(block.text, block.language)}</code></pre>`
    case 'list': {
      const tag = block.isOrdered ? 'ol' : 'ul'
      const items = block.items.map(item => `<li>${renderItem(item, resolve)}</li>`)
      return `<${tag}>\n${items.join('\n')}\n</${tag}>`
    }
    case 'table': {
      // A corner without a text is no heading.
      const head = block.head.map(text => (text === '' ? '<td></td>' : `<th>${inline(text)}</th>`)).join('')
      const rows = block.rows.map(row => `<tr>${row.map(text => `<td>${inline(text)}</td>`).join('')}</tr>`)
      return `<div class="table" tabindex="0"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table></div>`
    }
  }
}

/** The first paragraph of an item is rendered without `<p>`. */
function renderItem(blocks: Block[], resolve: Resolve): string {
  return blocks
    .map((block, index) =>
      block.kind === 'paragraph' && index === 0 ? renderInline(block.text, resolve) : renderBlock(block, resolve),
    )
    .join('\n')
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return plainText(block.text)
    case 'code':
      return block.text
    case 'list':
      return block.items.flatMap(item => item.map(textOf)).join('\n')
    case 'table':
      return [block.head, ...block.rows].map(row => row.map(plainText).join(' ')).join('\n')
  }
}
