// Reads one source file into what the tidy rules ask about: its functions, imports, environment reads, comments.
// Knows the parser; knows none of the rules.
import { dirname, posix } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface Source {
  /** Relative to the checkout, with forward slashes. */
  path: string
  text: string
  lineCount: number
  /** `isGroup`: it only groups tests, as the callback of `describe` or by a name such as `describeStore`. */
  functions: { name: string; line: number; lineCount: number; isGroup: boolean }[]
  /** Paths of relative imports and exports-from, resolved against the checkout; type imports count too. */
  imports: string[]
  /** Lines that read the environment. */
  environmentReads: number[]
  /** Lines that copy a list or object to add to it: `all = [...all, one]`. */
  copies: number[]
  /** Lines in loops that remove the first item of a list, which moves all others. */
  shifts: number[]
  /** Lines of `test.only` and the like, with the word. */
  markers: { line: number; word: string }[]
  comments: { line: number; text: string }[]
  /** Names of exported interfaces, type aliases and classes. */
  exportedTypes: string[]
}

/** A node of the parser's tree, of which only a few kinds matter here. */
interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

export function readSource(path: string, text: string): Source {
  const parsed = parseSync(path, text)
  const [fault] = parsed.errors
  if (fault !== undefined) throw new Error(`${path}: ${fault.message}`)
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length
  const source: Source = {
    path,
    text,
    lineCount: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    functions: [],
    imports: importsOf(path, text, parsed.module),
    environmentReads: [],
    copies: [],
    shifts: [],
    markers: [],
    comments: parsed.comments.map(comment => ({ line: lineOf(comment.start), text: comment.value })),
    exportedTypes: [],
  }
  visit(parsed.program, (node, parent) => {
    if (isFunction(node)) {
      const line = lineOf(node.start)
      const name = nameOf(node, parent)
      const isGroup = groupName.test(name) || groupName.test(calleeOf(parent))
      source.functions.push({ name, line, lineCount: lineOf(node.end) - line + 1, isGroup })
    }
    if (readsEnvironment(node)) source.environmentReads.push(lineOf(node.start))
    if (copiesItself(node, text)) source.copies.push(lineOf(node.start))
    if (isLoop(node)) for (const start of shiftsIn(node)) source.shifts.push(lineOf(start))
    if (node.type === 'ExportNamedDeclaration' && isType(node['declaration'])) {
      source.exportedTypes.push(nameOf(node['declaration'], null))
    }
    const word = markerOf(node)
    if (word !== null) source.markers.push({ line: lineOf(node.start), word })
  })
  return source
}

type Module = ReturnType<typeof parseSync>['module']

function importsOf(path: string, text: string, module: Module): string[] {
  const targets = module.staticImports.map(found => found.moduleRequest.value)
  for (const found of module.staticExports) {
    for (const entry of found.entries) if (entry.moduleRequest !== null) targets.push(entry.moduleRequest.value)
  }
  for (const { moduleRequest } of module.dynamicImports) {
    targets.push(text.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''))
  }
  const relative = targets.filter(target => target.startsWith('.'))
  return [...new Set(relative.map(target => posix.join(dirname(path), target)))]
}

function visit(node: unknown, see: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, see, parent)
    return
  }
  if (!isNode(node)) return
  see(node, parent)
  for (const value of Object.values(node)) if (typeof value === 'object') visit(value, see, node)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function isFunction(node: Node): boolean {
  const kinds = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
  return kinds.includes(node.type)
}

const groupName = /^describe(?:[A-Z]|$)/

/** The name that a call begins with, as `describe` of `describe.each(rows)('…', …)`; empty for what is no call. */
function calleeOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'CallExpression') return calleeOf(node['callee'])
  if (node.type === 'MemberExpression') return calleeOf(node['object'])
  return node.type === 'Identifier' ? String(node['name']) : ''
}

function isType(node: unknown): node is Node {
  const kinds = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration']
  return isNode(node) && kinds.includes(node.type)
}

function nameOf(node: Node, parent: Node | null): string {
  for (const named of [node['id'], parent?.['id'], parent?.['key']]) {
    if (isNode(named) && typeof named['name'] === 'string') return named['name']
  }
  return 'a function'
}

/** `process.env` in any spelling, and the process module, from which it could be taken unseen. */
function readsEnvironment(node: Node): boolean {
  if (node.type === 'MemberExpression') return isName(node['object'], 'process') && isKey(node['property'], 'env')
  if (node.type === 'VariableDeclarator') {
    const pattern = node['id']
    if (!isName(node['init'], 'process') || !isNode(pattern) || !Array.isArray(pattern['properties'])) return false
    return pattern['properties'].some(property => isNode(property) && isKey(property['key'], 'env'))
  }
  if (node.type !== 'ImportDeclaration' || !isNode(node['source'])) return false
  return ['process', 'node:process'].includes(String(node['source']['value']))
}

const loops = ['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']

function isLoop(node: Node): boolean {
  return loops.includes(node.type)
}

function shiftsIn(loop: Node): number[] {
  const starts: number[] = []
  visit(loop, ({ type, start, callee }) => {
    const isCall = type === 'CallExpression' && isNode(callee) && callee.type === 'MemberExpression'
    if (isCall && ['shift', 'unshift'].some(name => isKey(callee['property'], name))) starts.push(start)
  })
  return starts
}

/** An assignment of a list or an object that spreads what it is assigned to, or a step of `reduce` that does. */
function copiesItself(node: Node, text: string): boolean {
  const textOf = (part: unknown) => (isNode(part) ? text.slice(part.start, part.end) : '')
  if (node.type === 'AssignmentExpression') return spreads(node['right'], textOf(node['left']), text)
  const { callee } = node
  if (node.type !== 'CallExpression' || !isNode(callee) || !isKey(callee['property'], 'reduce')) return false
  const [step] = Array.isArray(node['arguments']) ? (node['arguments'] as unknown[]) : []
  if (!isNode(step) || !isFunction(step)) return false
  const [accumulator] = Array.isArray(step['params']) ? (step['params'] as unknown[]) : []
  return spreads(step['body'], textOf(accumulator), text)
}

/** The parts of a list, or of an object that gets members whose names are not written there. */
function grownParts(node: Node): Node[] {
  const listed = node.type === 'ArrayExpression' ? node['elements'] : node['properties']
  const parts = Array.isArray(listed) ? listed.filter(isNode) : []
  if (node.type === 'ArrayExpression') return parts
  const spread = parts.filter(({ type }) => type === 'SpreadElement')
  const grows = spread.length > 1 || parts.some(part => part['computed'] === true)
  return node.type === 'ObjectExpression' && grows ? parts : []
}

function spreads(value: unknown, name: string, text: string): boolean {
  let isFound = false
  visit(value, node => {
    const parts = grownParts(node)
    isFound ||= parts.some(part => part.type === 'SpreadElement' && text.slice(part.start + 3, part.end) === name)
  })
  return isFound
}

function markerOf(node: Node): string | null {
  if (node.type !== 'MemberExpression' || !isNode(node['property'])) return null
  const word = ['only', 'skip', 'todo'].find(candidate => isKey(node['property'], candidate))
  const isOfTests = ['test', 'it', 'describe'].some(name => isName(node['object'], name))
  return word !== undefined && isOfTests ? word : null
}

function isName(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node['name'] === name
}

function isKey(node: unknown, name: string): boolean {
  return isName(node, name) || (isNode(node) && node.type === 'Literal' && node['value'] === name)
}
