// Renders what the search found: the page of results, which needs no script, and the same as JSON for the search field.
import { html, type Markup, noMarkup } from '../../http/markup.ts'
import type { Found, Hit } from './search-index.ts'

export const searchPath = '/docs/search'
export const suggestionsPath = '/docs/search.json'
/** What the search field shows below itself. */
const maxSuggestions = 8

export function renderSuggestions({ hits }: Found): string {
  return JSON.stringify({ hits: hits.slice(0, maxSuggestions) })
}

export function renderResults(query: string, found: Found): Markup {
  if (query.trim() === '') return html`<h1>Search</h1><p>Type what you look for, or paste an error message.</p>`
  const heading = html`<h1>Search: ${query.trim()}</h1>${found.corrections.map(
    ({ from, to }) =>
      html`<p class="hint">No page contains &ldquo;${from}&rdquo;. These are results for &ldquo;${to}&rdquo;.</p>`,
  )}`
  if (found.hits.length === 0) {
    return html`${heading}<p>Nothing found. Try fewer or other words, or begin at the <a href="/docs">list of all pages</a>,
<a href="/docs/troubleshooting">troubleshooting</a> or the <a href="/docs/errors">list of errors</a>.</p>`
  }
  return html`${heading}<ol class="hits">${found.hits.map(renderHit)}</ol>`
}

function renderHit({ url, page, title, excerpt }: Hit): Markup {
  const place = title === page ? noMarkup : html`<span class="hint">${page}</span>`
  return html`<li><a href="${url}">${title}</a>${place}<p>${excerpt}</p></li>\n`
}
