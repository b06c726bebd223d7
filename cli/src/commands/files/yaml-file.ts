// A YAML file whose values are read with their places, so that an error names line and column; and the same values
// written.
import { readFileSync } from 'node:fs'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify, visit } from 'yaml'
import { Failure } from '../../frame/failure.ts'

export interface YamlFile {
  path: string
  fields: Record<string, unknown>
  /** Fails with the place of the value that an error of the server begins with, and its words. */
  fail(message: string): never
}

/** Stands for a variable of the environment; doubled, the first sign stands for itself. */
const variable = /\$?\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g

interface Variables {
  environment: Record<string, string | undefined>
  /** Fields that are left out if their whole value is a variable that is not set. */
  optional?: readonly string[]
}

/** `known`: the names of its fields, and what they are called. */
export function readYamlFile(
  path: string,
  { environment, optional = [] }: Variables,
  known: { names: readonly string[]; called: string },
): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines, prettyErrors: false })
  const failAt = (offset: number, words: string): never => {
    const { line, col } = lines.linePos(offset)
    throw new Failure(`${path}:${line}:${col}: ${words}`, 'Nothing was applied.', 'invalid_file')
  }
  const [fault] = document.errors
  if (fault !== undefined) failAt(fault.pos[0], fault.message)
  const shown = known.names.filter(name => name !== '$schema').join(', ')
  if (!isMap(document.contents)) failAt(0, `The file must have ${known.called}s: ${shown}`)
  for (const { key } of isMap(document.contents) ? document.contents.items : []) {
    const name = isScalar(key) ? String(key.value) : ''
    if (!known.names.includes(name)) failAt(offsetOf(key), `${name} is not a ${known.called}: ${shown}`)
  }
  visit(document, {
    Pair(_key, { key, value }) {
      const isOptional = isScalar(key) && optional.includes(String(key.value))
      return isOptional && isScalar(value) && isUnset(value.value, environment) ? visit.REMOVE : undefined
    },
    Scalar(key, node) {
      // Names of fields stand for themselves.
      if (key !== 'key' && typeof node.value === 'string') node.value = fillVariables(node, environment, failAt)
    },
  })
  return {
    path,
    fields: document.toJS() as Record<string, unknown>,
    fail: message => failAt(findOffset(document.contents, message), message),
  }
}

function isUnset(value: unknown, environment: Variables['environment']): boolean {
  const [text, name = ''] = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(String(value)) ?? []
  return text !== undefined && environment[name] === undefined
}

function fillVariables(
  node: { value: unknown },
  environment: Record<string, string | undefined>,
  failAt: (offset: number, words: string) => never,
): string {
  return String(node.value).replace(variable, (text, name: string) => {
    if (text.startsWith('$$')) return text.slice(1)
    return environment[name] ?? failAt(offsetOf(node), `The environment variable ${name} is not set`)
  })
}

function offsetOf(node: unknown): number {
  return (node as Partial<Node> | null)?.range?.[0] ?? 0
}

/** Of the deepest value that the path at the start of the message leads to: `tiers[0].overrides.rpm_limit must …`. */
function findOffset(root: unknown, message: string): number {
  const [path = ''] = /^[A-Za-z_$][\w$.[\]-]*/.exec(message) ?? []
  const [, unknown] = / has (?:an unknown field|a field that [^:]*): (.*)$/.exec(message) ?? []
  const steps = [...path.split(/[.[\]]+/).filter(Boolean), ...(unknown === undefined ? [] : [unknown])]
  let place = root
  let offset = offsetOf(root)
  for (const step of steps) {
    const next = stepInto(place, step)
    if (next === null) break
    offset = next.offset
    place = next.value
  }
  return offset
}

function stepInto(place: unknown, step: string): { offset: number; value: unknown } | null {
  if (isSeq(place)) {
    const value = place.items[Number(step)]
    return value === undefined ? null : { offset: offsetOf(value), value }
  }
  const pair = isMap(place) ? place.items.find(({ key }) => isScalar(key) && key.value === step) : undefined
  return pair === undefined ? null : { offset: offsetOf(pair.key), value: pair.value }
}

class VariableReference {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Is written as the variable, in place of a value. */
export const referTo = (name: string) => new VariableReference(name)

/** Texts stand for themselves: what looks like a variable in them is none. */
export function writeYaml(fields: object): string {
  return stringify(escapeVariables(fields), { lineWidth: 100, aliasDuplicateObjects: false })
}

function escapeVariables(value: unknown): unknown {
  if (value instanceof VariableReference) return `\${env:${value.name}}`
  if (typeof value === 'string') return value.replace(/(\$?)(\$\{env:[A-Za-z_][A-Za-z0-9_]*\})/g, '$1$$$2')
  if (Array.isArray(value)) return value.map(escapeVariables)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, escapeVariables(part)]))
}
