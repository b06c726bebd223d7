// Builds the documentation site once: every page of docs/ and of the API reference as HTML, the search, and llms.txt.
import type { Assets } from './assets.ts'
import { type DocsFolder, indexPage } from './docs-folder.ts'
import { type FrameFiles, pathOfPage, renderFramed } from './docs-frame.ts'
import { renderLlmsText } from './llms-text.ts'
import { type RenderedPage, renderPage } from './markdown/render-page.ts'
import type { ReferencePage } from './reference/build-reference.ts'
import { createSearchIndex, type SearchIndex, type SearchRow } from './search/search-index.ts'
import { renderResults, renderSuggestions } from './search/search-page.ts'

export interface DocsSite {
  /** HTML pages by their path, such as `/docs/start`. */
  pages: Map<string, string>
  /** The pages of docs/ as Markdown, for programs. */
  sources: Map<string, string>
  notFound: string
  llmsText: string
  /** The page with the results of a search. */
  renderResults(query: string): string
  /** The first of them as JSON. */
  renderSuggestions(query: string): string
}

interface SiteParts {
  folder: DocsFolder
  reference: ReferencePage[]
  assets: Assets
  /** The paths of the style sheet and of the script. */
  style: string
  script: string
  baseUrl: string
}

/** Readers look for guides first; decisions and measurements are for people who change Sallyport. */
function weightOf(name: string): number {
  if (!name.includes('/') && name !== 'api') return 1
  return name.startsWith('api') ? 0.8 : 0.15
}

export function buildDocsSite({ folder, reference, assets, style, script, baseUrl }: SiteParts): DocsSite {
  const pictures = new Map([...folder.pictures].map(([name, path]) => [name, assets.addFile(path)]))
  const written = new Map(
    [...folder.pages].map(([name, text]) => [
      name,
      renderPage(text, href => resolve(name, href, folder.pages, pictures)),
    ]),
  )
  const rendered = new Map([...written, ...reference.map(page => [page.name, page] as const)])
  const groups = [
    ...folder.groups,
    { title: 'API reference', pages: reference.map(({ name, title }) => ({ name, title })) },
  ]
  const rows = listSections(rendered)
  const sectionList = rows.map(({ url, page, title }) => ({ url, page, title }))
  const files: FrameFiles = { style, script, sectionList: assets.add('sections.json', JSON.stringify(sectionList)) }
  let index: SearchIndex | undefined
  const search = (query: string) => {
    index ??= createSearchIndex(rows)
    return index.search(query)
  }
  return {
    pages: new Map(
      [...rendered].map(([name, page]) => [pathOfPage(name), renderFramed({ ...page, name }, groups, files)]),
    ),
    sources: new Map([...folder.pages].map(([name, text]) => [`/docs/${name}.md`, text])),
    notFound: renderFramed(notFoundPage, groups, files),
    llmsText: renderLlmsText(folder.groups, rendered, baseUrl),
    renderResults(query) {
      const { markup } = renderResults(query, search(query))
      return renderFramed({ name: null, title: 'Search', html: markup, sections: [], query }, groups, files)
    },
    renderSuggestions: query => renderSuggestions(search(query)),
  }
}

const notFoundPage = {
  name: null,
  title: 'Page not found',
  html: '<h1>Page not found</h1><p>Search, or begin at the <a href="/docs">list of all pages</a>.</p>',
  sections: [],
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
  if (pages.has(name)) return pathOfPage(name) + hash
  return pictures.get(target) ?? null
}

function listSections(pages: ReadonlyMap<string, RenderedPage>): SearchRow[] {
  return [...pages]
    .filter(([name]) => name !== indexPage)
    .flatMap(([name, page]) =>
      page.sections.map(({ anchor, level: _, ...section }) => ({
        ...section,
        url: anchor === '' ? pathOfPage(name) : `${pathOfPage(name)}#${anchor}`,
        page: page.title,
        weight: weightOf(name),
      })),
    )
}
