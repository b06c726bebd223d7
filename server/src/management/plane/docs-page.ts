// Renders the OpenAPI document as an HTML page with one style sheet and no script. Escapes all inserted text.

import { createHash } from 'node:crypto'
import { escapeHtml, html, type Markup, noMarkup } from '../../http/markup.ts'
import { docsStyle } from './docs-style.ts'
import type { OpenApiDocument, Operation, Parameter, Schema } from './openapi-document.ts'

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

interface Listed {
  method: string
  path: string
  operation: Operation
  aliases: string[]
}

export function renderDocsPage(document: OpenApiDocument): string {
  const { info, tags } = document
  const listed = listOperations(document)
  const sections = tags.map(({ name }) => ({
    name,
    routes: listed.filter(({ operation }) => operation.tags[0] === name),
  }))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${info.title}</title>
<style>${{ markup: docsStyle }}</style>
</head>
<body>
<nav aria-label="Resources"><p><a href="/docs">Documentation</a></p><ul>${sections.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></nav>
<main>
<h1>${info.title}</h1>
<p>${info.description} For programs: <a href="/auth/v1/openapi.json">OpenAPI ${document.openapi}</a>.</p>
${renderCredentials(document)}
${sections.map(({ name, routes }) => html`<section id="${name}"><h2>${name}</h2>${routes.map(renderRoute(document))}</section>`)}
</main>
</body>
</html>
`
  return page.markup
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
<h2>Errors</h2>${renderFields(components.schemas['Error'] ?? {})}`
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
${body === undefined ? noMarkup : html`<h4>Body</h4>${renderFields(body)}`}
<h4>Answers</h4>${renderAnswers(operation)}
</article>`
  }
}

function renderParameters(parameters: readonly Parameter[]): Markup {
  return html`<table><tbody>${parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ', required' : ''}</td><td>${typeOf(schema)}</td><td>${prose(notesOn({ description, ...schema }))}</td></tr>`,
  )}</tbody></table>`
}

function renderAnswers({ responses }: Operation): Markup {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = content?.['application/json']?.schema
    const isOwn = schema !== undefined && schema['$ref'] === undefined
    return html`<tr><th scope="row">${status}</th><td>${prose(description)}${isOwn ? renderFields(schema) : noMarkup}</td></tr>`
  })
  return html`<table class="answers"><tbody>${rows}</tbody></table>`
}

function renderFields(schema: Schema): Markup {
  const fields = fieldsOf(schema, '', 0)
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
function fieldsOf(schema: Schema, prefix: string, depth: number): Field[] {
  if (depth > maxDepth) return []
  const items = schema['items'] as Schema | undefined
  if (items !== undefined) return fieldsOf(items, `${prefix}[]`, depth + 1)
  const required = (schema['required'] ?? []) as string[]
  return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).flatMap(([key, of]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    return [{ name, required: required.includes(key), schema: of }, ...fieldsOf(of, name, depth + 1)]
  })
}

function typeOf(schema: Schema): string {
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
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
