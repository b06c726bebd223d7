// The frame of each page of the documentation site: search field, list of all pages, links to the pages before and
// after.
import { html, type Markup, noMarkup } from '../http/markup.ts'
import { type DocsFolder, indexPage } from './docs-folder.ts'
import type { RenderedPage } from './markdown/render-page.ts'
import { renderDocument } from './page-frame.ts'
import { searchPath } from './search/search-page.ts'

type Groups = DocsFolder['groups']

/** The addresses of what each page loads. */
export interface FrameFiles {
  style: string
  script: string
  /** All sections, for the dashboard's command menu. */
  sectionList: string
}

export interface FramedPage extends Pick<RenderedPage, 'title' | 'html' | 'sections'> {
  /** Null for a page that the list of pages does not contain. */
  name: string | null
  /** What the search field shows. */
  query?: string
}

export const pathOfPage = (name: string): string => (name === indexPage ? '/docs' : `/docs/${name}`)

export function renderFramed(page: FramedPage, groups: Groups, { style, script, sectionList }: FrameFiles): string {
  const links = groups.map(
    group => html`<h2>${group.title}</h2>
<ul>${group.pages.map(each => renderEntry(each, each.name === page.name ? page.sections : null))}</ul>`,
  )
  return renderDocument({
    title: page.title === 'Documentation' ? 'Sallyport documentation' : `${page.title} – Sallyport`,
    style,
    script,
    body: html`<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a class="brand" href="/docs">Sallyport</a>
<form role="search" action="${searchPath}" data-index="${sectionList}"><label class="hidden" for="q">Search the documentation</label>
<input id="q" name="q" type="search" placeholder="Search" autocomplete="off" maxlength="200" value="${page.query ?? ''}"><div id="results" tabindex="-1" hidden></div></form>
<a href="/docs/api">API</a> <a href="/">Sign in</a></header>
<div class="columns"><nav aria-label="Pages"><details><summary>All pages</summary>${links}</details></nav>
<main id="content" tabindex="-1">${{ markup: page.html }}${renderNeighbours(page.name, groups)}</main></div>`,
  })
}

/** The current page lists its sections too. */
function renderEntry(
  { name, title }: { name: string; title: string },
  sections: RenderedPage['sections'] | null,
): Markup {
  if (sections === null) return html`<li><a href="${pathOfPage(name)}">${title}</a></li>\n`
  const inner = sections
    .filter(({ level }) => level === 2)
    .map(section => html`<li><a href="#${section.anchor}">${section.title}</a></li>`)
  return html`<li><a href="${pathOfPage(name)}" aria-current="page">${title}</a><ul>${inner}</ul></li>\n`
}

/** In the order of the list of pages. */
function renderNeighbours(name: string | null, groups: Groups): Markup {
  const order = groups.flatMap(({ pages }) => pages)
  const index = order.findIndex(page => page.name === name)
  if (index < 0) return noMarkup
  const link = (page: { name: string; title: string } | undefined, rel: 'prev' | 'next') =>
    page === undefined
      ? noMarkup
      : html`<a rel="${rel}" href="${pathOfPage(page.name)}"><span>${rel === 'prev' ? 'Previous' : 'Next'}</span> ${page.title}</a>`
  return html`<nav class="neighbours" aria-label="Previous and next page">${link(order[index - 1], 'prev')}${link(order[index + 1], 'next')}</nav>`
}
