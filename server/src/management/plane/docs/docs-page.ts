// Renders the OpenAPI document as an HTML page with one style sheet and no script. Escapes all inserted text.

import { createHash } from 'node:crypto'
import { escapeHtml, html, type Markup, noMarkup } from '../../../http/markup.ts'
import type { OpenApiDocument, Operation, Parameter, Schema } from '../openapi-document.ts'
import { docsStyle } from './docs-style.ts'

const styleDigest = createHash('sha256').update(docsStyle).digest('base64')

/** The page may not load, run or send anything and may not be framed; its style sheet is allowed by digest. */
export const docsPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleDigest}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Escapes the text; `back ticks` mark code. */
function prose(text: string): Markup {
  return { markup: escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>') }
}

type Components = OpenApiDocument['components']

interface Listed {
  method: string
  path: string
  operation: Operation
  aliases: string[]
}

interface Chapter {
  document: OpenApiDocument
  /** Where the document itself is. */
  address: string
  sections: { id: string; name: string; routes: Listed[] }[]
}

export function renderDocsPage(management: OpenApiDocument, dataPlane: OpenApiDocument): string {
  const chapters = [
    chapterOf(management, '/auth/v1/openapi.json', () => true, ''),
    // The mint of projects' hosts is in both documents.
    chapterOf(dataPlane, '/openapi.json', path => management.paths[path] === undefined, 'data-plane-'),
  ]
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${management.info.title}</title>
<style>${{ markup: docsStyle }}</style>
</head>
<body>
<nav aria-label="Resources"><p><a href="/docs">Documentation</a></p>${chapters.map(renderLinks)}</nav>
<main>
${chapters.map(renderChapter)}
</main>
</body>
</html>
`
  return page.markup
}

function chapterOf(
  document: OpenApiDocument,
  address: string,
  isShown: (path: string) => boolean,
  idPrefix: string,
): Chapter {
  const listed = listOperations(document).filter(({ path }) => isShown(path))
  const sections = document.tags.map(({ name }) => ({
    id: idPrefix + name,
    name,
    routes: listed.filter(({ operation }) => operation.tags[0] === name),
  }))
  return { document, address, sections: sections.filter(({ routes }) => routes.length > 0) }
}

function renderLinks({ document, sections }: Chapter): Markup {
  return html`<p>${document.info.title}</p><ul>${sections.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul>`
}

function renderChapter({ document, address, sections }: Chapter): Markup {
  return html`<h1>${document.info.title}</h1>
<p>${prose(document.info.description)} For programs: <a href="${address}">OpenAPI ${document.openapi}</a>.</p>
${renderCredentials(document)}
${sections.map(({ id, name, routes }) => html`<section id="${id}"><h2>${name}</h2>${routes.map(renderRoute(document))}</section>`)}`
}

/** Lists the routes, each with its aliases. */
function listOperations({ paths }: OpenApiDocument): Listed[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  return all
    .filter(({ operation }) => operation['x-alias-of'] === undefined)
    .map(entry => {
      const isAlias = (other: (typeof all)[number]) =>
        other.method === entry.method && other.operation['x-alias-of'] === entry.path
      return { ...entry, aliases: all.filter(isAlias).map(({ path }) => path) }
    })
}

function renderCredentials({ components }: OpenApiDocument): Markup {
  const rows = Object.entries(components.securitySchemes).map(
    ([name, scheme]) =>
      html`<tr><th scope="row">${name}</th><td><code>${headerOf(scheme)}</code></td><td>${prose(String(scheme['description']))}</td></tr>`,
  )
  return html`<h2>Credentials</h2><table><tbody>${rows}</tbody></table>
<h2>Errors</h2>${Object.entries(components.schemas)
    .filter(([name]) => name.endsWith('Error'))
    .map(([, schema]) => renderFields(schema, components))}`
}

function headerOf(scheme: Schema): string {
  return scheme['type'] === 'http' ? 'Authorization: Bearer …' : `${String(scheme['name'])}: …`
}

function renderRoute(document: OpenApiDocument) {
  return ({ method, path, operation, aliases }: Listed): Markup => {
    const credential = operation.security?.flatMap(scheme => Object.keys(scheme))[0] ?? 'none'
    const body = operation.requestBody?.content['application/json']?.schema
    const servers = (operation.servers ?? document.servers) as { url: string }[]
    return html`<article id="${operation.operationId}">
<h3><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p>${operation.summary}.</p>
<ul class="facts">
<li>Credential: <b>${credential}</b>. ${prose(operation.description ?? '')}</li>
${operation.servers === undefined ? noMarkup : html`<li>At ${servers.map(({ url }) => html`<code>${url}</code> `)}</li>`}
${aliases.length === 0 ? noMarkup : html`<li>Also ${aliases.map(alias => html`<code>${alias}</code> `)}</li>`}
</ul>
${operation.parameters.length === 0 ? noMarkup : html`<h4>Parameters</h4>${renderParameters(operation.parameters)}`}
${body === undefined ? noMarkup : html`<h4>Body</h4>${renderFields(body, document.components)}`}
<h4>Answers</h4>${renderAnswers(operation, document.components)}
</article>`
  }
}

function renderParameters(parameters: readonly Parameter[]): Markup {
  return html`<table><tbody>${parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ', required' : ''}</td><td>${typeOf(schema)}</td><td>${prose(notesOn({ description, ...schema }))}</td></tr>`,
  )}</tbody></table>`
}

function renderAnswers({ responses }: Operation, components: Components): Markup {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = content?.['application/json']?.schema
    // The formats of errors are shown once, above.
    const isShown = schema !== undefined && status.startsWith('2')
    return html`<tr><th scope="row">${status}</th><td>${prose(description)}${isShown ? renderFields(schema, components) : noMarkup}</td></tr>`
  })
  return html`<table class="answers"><tbody>${rows}</tbody></table>`
}

function renderFields(schema: Schema, components: Components): Markup {
  const fields = fieldsOf(schema, components, '', 0)
  if (fields.length === 0) return html`<p>${typeOf(schema)}</p>`
  return html`<table><tbody>${fields.map(
    ({ name, required, schema: of }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${required ? 'required' : ''}</td><td>${typeOf(of)}</td><td>${prose(notesOn(of))}</td></tr>`,
  )}</tbody></table>`
}

interface Field {
  name: string
  required: boolean
  schema: Schema
}

const maxDepth = 3

/** The fields of an object or of a list's items, including nested fields, by their dotted names. */
function fieldsOf(given: Schema, components: Components, prefix: string, depth: number): Field[] {
  if (depth > maxDepth) return []
  const schema = resolve(given, components)
  const items = schema['items'] as Schema | undefined
  if (items !== undefined) return fieldsOf(items, components, `${prefix}[]`, depth + 1)
  const required = (schema['required'] ?? []) as string[]
  return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).flatMap(([key, of]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    const field = { name, required: required.includes(key), schema: resolve(of, components) }
    return [field, ...fieldsOf(of, components, name, depth + 1)]
  })
}

function resolve(schema: Schema, { schemas }: Components): Schema {
  const name = String(schema['$ref'] ?? '').replace('#/components/schemas/', '')
  return schemas[name] ?? schema
}

function typeOf(schema: Schema): string {
  const reference = schema['$ref']
  if (typeof reference === 'string') return reference.replace('#/components/schemas/', '')
  const choices =
    schema['type'] === undefined ? ((schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined) : undefined
  if (choices !== undefined) return choices.map(typeOf).join(' or ')
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  const type = [schema['type'] ?? 'any'].flat().join(' or ')
  const items = schema['items'] as Schema | undefined
  return items === undefined ? type : `list of ${typeOf(items)}`
}

const noted = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'default']

function notesOn(schema: Schema): string {
  const values = schema['enum'] as unknown[] | undefined
  const notes = [
    schema['description'],
    values === undefined ? undefined : `one of ${values.map(value => JSON.stringify(value)).join(', ')}`,
    // The bounds of safe integers are not limits of the API.
    ...noted
      .filter(name => schema[name] !== undefined && Math.abs(Number(schema[name])) !== Number.MAX_SAFE_INTEGER)
      .map(name => `${name} ${typeof schema[name] === 'string' ? schema[name] : JSON.stringify(schema[name])}`),
  ]
  return notes.filter(note => note !== undefined).join('; ')
}
