// Renders JSON schemas as tables of fields.
import { escapeHtml, html, type Markup } from '../../http/markup.ts'
import type { OpenApiDocument, Parameter, Schema } from '../../http/openapi-types.ts'

type Components = OpenApiDocument['components']

/** Escapes the text; `back ticks` mark code. */
export function prose(text: string): Markup {
  return { markup: escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>') }
}

export function renderParameters(parameters: readonly Parameter[]): Markup {
  return table(
    ['Name', 'Place', 'Type', 'Meaning'],
    parameters.map(({ name, in: place, required, description, schema }) => [
      html`<code>${name}</code>`,
      html`${place}${required ? ', required' : ''}`,
      html`${typeOf(schema)}`,
      prose(notesOn({ description, ...schema })),
    ]),
  )
}

export function renderFields(schema: Schema, components: Components): Markup {
  const fields = fieldsOf(schema, components, '', 0)
  if (fields.length === 0) return html`<p>${typeOf(schema)}</p>`
  return table(
    ['Field', 'Required', 'Type', 'Meaning'],
    fields.map(({ name, required, schema: of }) => [
      html`<code>${name}</code>`,
      html`${required ? 'yes' : 'no'}`,
      html`${typeOf(of)}`,
      prose(notesOn(of)),
    ]),
  )
}

export function table(head: readonly string[], rows: readonly Markup[][]): Markup {
  return html`<div class="table" tabindex="0"><table>
<thead><tr>${head.map(cell => html`<th>${cell}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${row.map(cell => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>
`
}

interface Field {
  name: string
  required: boolean
  schema: Schema
}

const maxDepth = 3

/** The fields of an object or of a list's items, including nested fields, by their dotted names. */
export function fieldsOf(given: Schema, components: Components, prefix: string, depth: number): Field[] {
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
