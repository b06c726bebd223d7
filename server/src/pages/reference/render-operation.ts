// Renders one operation: its route, what it needs, a request with the response to it, and its fields and errors.
import { html, type Markup, noMarkup } from '../../http/markup.ts'
import type { OpenApiDocument, Operation, Schema } from '../../http/openapi-types.ts'
import { highlight } from '../markdown/highlight.ts'
import type { Example } from './examples.ts'
import type { Listed } from './list-operations.ts'
import { prose, renderFields, renderParameters, table } from './render-fields.ts'

export function renderOperation(listed: Listed, example: Example | undefined): Markup {
  const { document, method, path, operation, aliases } = listed
  const body = operation.requestBody?.content['application/json']?.schema
  const servers = serversOf(listed)
  return html`<section class="operation"><h2 id="${operation.operationId}">${operation.summary}</h2>
<p class="route"><b>${method.toUpperCase()}</b> <code>${path}</code></p>
<ul>
<li>Credential: ${renderCredential(operation)}${prose(operation.description ?? '')}</li>
${operation.servers === undefined ? noMarkup : html`<li>Address: ${servers.map(url => html`<code>${url}</code> `)}</li>`}
${aliases.length === 0 ? noMarkup : html`<li>Also answered at ${aliases.map(alias => html`<code>${alias}</code> `)}</li>`}
</ul>
${example === undefined ? noMarkup : renderExample(listed, example)}
${operation.parameters.length === 0 ? noMarkup : html`<h3>Parameters</h3>${renderParameters(operation.parameters)}`}
${body === undefined ? noMarkup : html`<h3>Fields of the request</h3>${renderFields(body, document.components)}`}
${renderResponses(operation, document.components)}
</section>
`
}

function renderCredential(operation: Operation): Markup {
  const scheme = credentialOf(operation)
  return scheme === null ? html`none. ` : html`<a href="/docs/api#credentials"><code>${scheme}</code></a>. `
}

function credentialOf({ security }: Operation): string | null {
  return security?.flatMap(scheme => Object.keys(scheme))[0] ?? null
}

const serversOf = ({ document, operation }: Listed): string[] =>
  ((operation.servers ?? document.servers) as { url: string }[]).map(({ url }) => url)

function renderExample(listed: Listed, example: Example): Markup {
  return html`<h3>Example request</h3>${codeBlock(writeCurl(listed, example), 'sh')}
<h3>Example response: ${String(example.status)}</h3>${renderExampleResponse(example)}`
}

function renderExampleResponse({ response }: Example): Markup {
  if (response === undefined) return html`<p>No body.</p>`
  return typeof response === 'string'
    ? codeBlock(response.trimEnd(), 'text')
    : codeBlock(JSON.stringify(response, null, 2), 'json')
}

const codeBlock = (code: string, language: string): Markup => ({
  markup: `<pre tabindex="0"><code>${highlight(code, language)}</code></pre>`,
})

/** How a credential is sent, by the document's name for it, with a variable of the shell in its place. */
function headerOf(name: string, scheme: Schema | undefined): string {
  const variable = `$${name.replace(/\W/g, '_').toUpperCase()}`
  return scheme?.['type'] === 'http' ? `Authorization: Bearer ${variable}` : `${String(scheme?.['name'])}: ${variable}`
}

function writeCurl(listed: Listed, { path, body }: Example): string {
  const { document, method, operation } = listed
  const scheme = credentialOf(operation)
  const address = (serversOf(listed).at(-1) ?? '').replace('{slug}', '$SLUG') + path
  const header = scheme === null ? null : headerOf(scheme, document.components.securitySchemes[scheme])
  const json = body === undefined ? null : JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${address}"`,
    ...(header === null ? [] : [`-H "${header}"`]),
    ...(json === null ? [] : [`-H "Content-Type: application/json"`, `-d '${json}'`]),
  ]
  return lines.join(' \\\n  ')
}

function renderResponses({ responses }: Operation, components: OpenApiDocument['components']): Markup {
  const rows = Object.entries(responses).map(([status, { description, content }]) => ({
    status,
    description,
    schema: content?.['application/json']?.schema,
  }))
  const successes = rows.filter(({ status, schema }) => schema !== undefined && status.startsWith('2'))
  return html`${successes.map(
    ({ status, schema }) =>
      html`<details><summary>Fields of the response ${status}</summary>${renderFields(schema ?? {}, components)}</details>`,
  )}<details><summary>Statuses and errors</summary>${table(
    ['Status', 'Meaning'],
    rows.map(({ status, description }) => [html`${status}`, prose(description)]),
  )}</details>`
}
