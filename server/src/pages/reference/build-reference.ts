// Builds the API reference from both OpenAPI documents: one page with what all operations share, and one page for each
// chapter.
import { html, type Markup } from '../../http/markup.ts'
import type { ApiDocuments, OpenApiDocument, Schema } from '../../http/openapi-types.ts'
import type { RenderedPage, Section } from '../markdown/render-page.ts'
import { type Chapter, chapterOf, chapters } from './chapters.ts'
import type { Examples } from './examples.ts'
import { type Listed, listOperations } from './list-operations.ts'
import { fieldsOf, prose, renderFields, table } from './render-fields.ts'
import { renderOperation } from './render-operation.ts'

/** A page of the site; its name is part of its address, such as `api/tokens`. */
export interface ReferencePage extends RenderedPage {
  name: string
}

export function buildReference(documents: ApiDocuments, examples: Examples): ReferencePage[] {
  const byChapter = Map.groupBy(listOperations(documents), ({ path }) => chapterOf(path))
  const filled = chapters.flatMap(chapter => {
    const operations = byChapter.get(chapter)
    return operations === undefined ? [] : [{ chapter, operations }]
  })
  return [
    renderStart(documents, filled),
    ...filled.map(({ chapter, operations }) => renderChapter(chapter, operations, examples)),
  ]
}

function renderChapter({ name, title, about }: Chapter, operations: readonly Listed[], examples: Examples) {
  const body = html`<h1>${title}</h1><p>${about} What all operations share is on the <a href="/docs/api">first page</a>.</p>
${operations.map(listed => renderOperation(listed, examples[listed.operation.operationId]))}`
  return {
    name: `api/${name}`,
    title,
    html: body.markup,
    sections: [{ anchor: '', level: 1, title, text: about }, ...operations.map(describeSection)],
  }
}

/** What the search knows of an operation. */
function describeSection({ document, method, path, operation, aliases }: Listed): Section {
  const body = operation.requestBody?.content['application/json']?.schema
  const fields = body === undefined ? [] : fieldsOf(body, document.components, '', 0).map(({ name }) => name)
  const summary = `${method.toUpperCase()} ${path}\n${(operation.description ?? '').replaceAll('`', '')}`
  const text = [
    summary,
    operation.parameters.map(({ name }) => name).join(' '),
    fields.join(' '),
    aliases.join(' '),
    operation.operationId,
  ]
  return { anchor: operation.operationId, level: 2, title: operation.summary, text: text.join('\n'), summary }
}

const startTitle = 'API reference'

function renderStart(
  documents: ApiDocuments,
  filled: readonly { chapter: Chapter; operations: readonly Listed[] }[],
): ReferencePage {
  const apis = [
    { document: documents.dataPlane(), address: '/openapi.json' },
    { document: documents.management(), address: '/auth/v1/openapi.json' },
  ]
  const body = html`<h1>${startTitle}</h1>
${apis.map(renderApi)}
<h2 id="credentials">Credentials</h2>${renderCredentials(apis.map(({ document }) => document))}
<h2 id="errors">Errors</h2><p>Every message is in the list of <a href="/docs/errors">errors</a>. Their formats:</p>${apis.map(
    ({ document }) => renderErrorFormats(document),
  )}
<h2 id="operations">All operations</h2>${filled.map(({ chapter, operations }) => renderContents(chapter, operations))}`
  const sections = [
    { anchor: '', level: 1, title: startTitle, text: apis.map(({ document }) => document.info.description).join('\n') },
    { anchor: 'credentials', level: 2, title: 'Credentials', text: 'Authorization Bearer session token API key' },
    { anchor: 'errors', level: 2, title: 'Errors', text: 'Formats of errors' },
    { anchor: 'operations', level: 2, title: 'All operations', text: '' },
  ]
  return { name: 'api', title: startTitle, html: body.markup, sections }
}

function renderApi({ document, address }: { document: OpenApiDocument; address: string }): Markup {
  return html`<p><b>${document.info.title}.</b> ${prose(document.info.description)} For programs:
<a href="${address}">OpenAPI ${document.openapi}</a>.</p>`
}

function renderCredentials(documents: readonly OpenApiDocument[]): Markup {
  const schemes = Object.assign({}, ...documents.map(({ components }) => components.securitySchemes))
  return table(
    ['Name', 'Header', 'Meaning'],
    Object.entries(schemes as Record<string, Schema>).map(([name, scheme]) => [
      html`<code>${name}</code>`,
      html`<code>${scheme['type'] === 'http' ? 'Authorization: Bearer …' : `${String(scheme['name'])}: …`}</code>`,
      prose(String(scheme['description'])),
    ]),
  )
}

function renderErrorFormats({ components, info }: OpenApiDocument): Markup {
  return html`${Object.entries(components.schemas)
    .filter(([name]) => name.endsWith('Error'))
    .map(([name, schema]) => html`<h3>${name} (${info.title})</h3>${renderFields(schema, components)}`)}`
}

function renderContents({ name, title }: Chapter, operations: readonly Listed[]): Markup {
  const links = operations.map(
    ({ method, path, operation: { operationId, summary } }) =>
      html`<li><a href="/docs/api/${name}#${operationId}">${summary}</a> <code>${method.toUpperCase()} ${path}</code></li>\n`,
  )
  return html`<h3><a href="/docs/api/${name}">${title}</a></h3><ul>${links}</ul>`
}
