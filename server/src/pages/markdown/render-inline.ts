// What stands within a line of Markdown: code, links, images, bold and italic text, bare addresses. Everything else is
// escaped. Where links lead is decided by the caller.
import { escapeHtml } from '../../http/markup.ts'

/** Where the page's links and images lead in the place where it is shown; null: nowhere, and the text stands alone. */
export type Resolve = (href: string) => string | null

const pieces = [
  /(?<ticks>`+)(?<code>[\s\S]+?)(?<!`)\k<ticks>(?!`)/,
  /!\[(?<alt>[^\]]*)\]\((?<src>[^)\s]+)\)/,
  /\[(?<label>(?:[^[\]`]|`[^`]*`)*)\]\((?<href>[^)\s]+)\)/,
  /\*\*(?<strong>[\s\S]+?)\*\*/,
  /\*(?<em>[^*\s](?:[^*]*[^*\s])?)\*/,
  /(?<url>https?:\/\/[^\s<>()`"']*[^\s<>()`"'.,;:!?…])/,
  /\\(?<escaped>[\\`*_{}[\]()#+.!|-])/,
]
const inline = new RegExp(pieces.map(({ source }) => source).join('|'), 'g')

export function renderInline(text: string, resolve: Resolve): string {
  return replacePieces(text, escapeHtml, groups => renderPiece(groups, resolve))
}

function renderPiece(groups: Record<string, string | undefined>, resolve: Resolve): string {
  const { code, alt, src, label, href, strong, em, url, escaped = '' } = groups
  if (code !== undefined) return `<code>${escapeHtml(trimCode(code))}</code>`
  if (src !== undefined) return `<img src="${escapeHtml(resolve(src) ?? '')}" alt="${escapeHtml(alt ?? '')}">`
  if (href !== undefined) return renderLink(resolve(href), renderInline(label ?? '', resolve))
  if (strong !== undefined) return `<strong>${renderInline(strong, resolve)}</strong>`
  if (em !== undefined) return `<em>${renderInline(em, resolve)}</em>`
  if (url !== undefined) return `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
  return escapeHtml(escaped)
}

function renderLink(target: string | null, label: string): string {
  return target === null ? label : `<a href="${escapeHtml(target)}">${label}</a>`
}

/** The same without any markup, for titles, anchors and the search. */
export function plainText(text: string): string {
  return replacePieces(
    text,
    rest => rest,
    ({ code, alt, label, strong, em, url, escaped }) =>
      code !== undefined ? trimCode(code) : plainOf(alt ?? label ?? strong ?? em) || (url ?? escaped ?? ''),
  )
}

const plainOf = (text: string | undefined): string => (text === undefined ? '' : plainText(text))

/** One space at each end only keeps back ticks apart from the code. */
const trimCode = (code: string): string => (/^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code)

function replacePieces(
  text: string,
  rest: (between: string) => string,
  piece: (groups: Record<string, string | undefined>) => string,
): string {
  let result = ''
  let at = 0
  for (const match of text.matchAll(inline)) {
    result += rest(text.slice(at, match.index)) + piece(match.groups ?? {})
    at = match.index + match[0].length
  }
  return result + rest(text.slice(at))
}
