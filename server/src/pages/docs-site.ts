// Builds the documentation site once: every page of docs/ as HTML with navigation, the search index, and llms.txt.
import { html, type Markup } from '../http/markup.ts'
import type { Assets } from './assets.ts'
import { type DocsFolder, indexPage } from './docs-folder.ts'
import { type RenderedPage, renderPage } from './markdown/render-page.ts'
import { renderDocument } from './page-frame.ts'

export interface DocsSite {
  /** HTML pages by their path, such as `/docs/start`. */
  pages: Map<string, string>
  /** The same as Markdown, for programs. */
  sources: Map<string, string>
  notFound: string
  llmsText: string
}

interface SiteParts {
  folder: DocsFolder
  assets: Assets
  /** The paths of the style sheet and of the search script. */
  style: string
  searchScript: string
  baseUrl: string
}

/** A row of the search index: one section of a page. */
export interface SearchRow {
  url: string
  page: string
  title: string
  text: string
}

const pathOf = (name: string): string => (name === indexPage ? '/docs' : `/docs/${name}`)

export function buildDocsSite({ folder, assets, style, searchScript, baseUrl }: SiteParts): DocsSite {
  const pictures = new Map([...folder.pictures].map(([name, path]) => [name, assets.addFile(path)]))
  const rendered = new Map(
    [...folder.pages].map(([name, text]) => [
      name,
      renderPage(text, href => resolve(name, href, folder.pages, pictures)),
    ]),
  )
  const searchIndex = assets.add('search-index.json', JSON.stringify(listSections(rendered)))
  const frame = (name: string | null, page: Pick<RenderedPage, 'title' | 'html' | 'sections'>) =>
    renderDocument({
      title: page.title === 'Documentation' ? 'Sallyport documentation' : `${page.title} – Sallyport`,
      style,
      script: searchScript,
      body: renderBody(folder.groups, name, page, searchIndex),
    })
  return {
    pages: new Map([...rendered].map(([name, page]) => [pathOf(name), frame(name, page)])),
    sources: new Map([...folder.pages].map(([name, text]) => [`/docs/${name}.md`, text])),
    notFound: frame(null, {
      title: 'Page not found',
      html: '<h1>Page not found</h1><p>Search, or begin at the <a href="/docs">list of all pages</a>.</p>',
      sections: [],
    }),
    llmsText: renderLlmsText(folder, rendered, baseUrl),
  }
}

/** Maps links between pages of docs/ to the pages of the site. Null for other files, which are not served. */
function resolve(
  from: string,
  href: string,
  pages: ReadonlyMap<string, string>,
  pictures: ReadonlyMap<string, string>,
): string | null {
  if (/^[a-z]+:|^#|^\//.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = new URL(path, `file:///${from}.md`).pathname.slice(1)
  const name = target.replace(/\.md$/, '')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (pages.has(name)) return pathOf(name) + hash
  return pictures.get(target) ?? null
}

function listSections(pages: ReadonlyMap<string, RenderedPage>): SearchRow[] {
  return [...pages]
    .filter(([name]) => name !== indexPage)
    .flatMap(([name, page]) =>
      page.sections.map(({ anchor, title, text }) => ({
        url: anchor === '' ? pathOf(name) : `${pathOf(name)}#${anchor}`,
        page: page.title,
        title,
        text,
      })),
    )
}

function renderBody(
  groups: DocsFolder['groups'],
  name: string | null,
  page: Pick<RenderedPage, 'html' | 'sections'>,
  searchIndex: string,
): Markup {
  const links = groups.map(
    group => html`<h2>${group.title}</h2>
<ul>${group.pages.map(each => renderEntry(each, each.name === name ? page.sections : null))}</ul>`,
  )
  return html`<header class="top"><a class="brand" href="/docs">Sallyport</a>
<form role="search" data-index="${searchIndex}"><label class="hidden" for="q">Search the documentation</label>
<input id="q" type="search" placeholder="Search" autocomplete="off" aria-controls="results"><div id="results" role="status" hidden></div></form>
<a href="/docs/api">API</a> <a href="/">Sign in</a></header>
<div class="columns"><nav aria-label="Pages"><details><summary>All pages</summary>${links}</details></nav>
<main>${{ markup: page.html }}</main></div>`
}

/** The current page lists its sections too. */
function renderEntry(
  { name, title }: { name: string; title: string },
  sections: RenderedPage['sections'] | null,
): Markup {
  if (sections === null) return html`<li><a href="${pathOf(name)}">${title}</a></li>\n`
  const inner = sections
    .filter(({ level }) => level === 2)
    .map(section => html`<li><a href="#${section.anchor}">${section.title}</a></li>`)
  return html`<li><a href="${pathOf(name)}" aria-current="page">${title}</a><ul>${inner}</ul></li>\n`
}

/** The format of llmstxt.org: one line for each page, with its first sentences. */
function renderLlmsText({ groups }: DocsFolder, rendered: ReadonlyMap<string, RenderedPage>, baseUrl: string): string {
  const lines = groups.flatMap(group => [
    '',
    `## ${group.title}`,
    '',
    ...group.pages.map(({ name, title }) => {
      const about = rendered.get(name)?.sections[0]?.text.split('\n')[0] ?? ''
      return `- [${title}](${baseUrl}/docs/${name}.md): ${about}`
    }),
  ])
  const summary =
    '> Sallyport is a self-hosted LLM gateway: browsers and mobile apps call OpenAI, Anthropic, Google, OpenRouter, ' +
    'Mistral or Cohere through it with short-lived tokens, so no API key ever leaves your server.'
  const api = [
    `- [OpenAPI document of the data plane](${baseUrl}/openapi.json): completions, models, threads, usage and mints.`,
    `- [OpenAPI document of the management API](${baseUrl}/auth/v1/openapi.json): every route of it.`,
  ]
  return `${['# Sallyport', '', summary, ...lines, '', '## API', '', ...api].join('\n')}\n`
}
