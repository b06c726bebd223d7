// Renders the Markdown within a block: code, links, images, bold and italic text, bare URLs. Everything else is
// escaped. The caller decides where links lead.
import { escapeHtml } from '../../http/markup.ts'

/**
 * Maps the target of a link or an image to its address on the site; null if it is not served: the link becomes
 * text.
 */
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

/** Returns the text without markup, for titles, anchors and the search. */
export function plainText(text: string): string {
  return replacePieces(
    text,
    rest => rest,
    ({ code, alt, label, strong, em, url, escaped }) =>
      code !== undefined ? trimCode(code) : plainOf(alt ?? label ?? strong ?? em) || (url ?? escaped ?? ''),
  )
}

const plainOf = (text: string | undefined): string => (text === undefined ? '' : plainText(text))

/** Removes one space at each end, which only separates back ticks from the code. */
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
