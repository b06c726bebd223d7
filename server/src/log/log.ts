// Writes log lines as JSON: only the fields of `domain/log.ts`, each in the shape given there. Must not trust its
// callers: a value that does not match its field's shape is dropped.
import { isIP } from 'node:net'
import { memoizeKnown } from '../collections/bounded-memo.ts'
import { type Log, type LogFieldKind, type LogFields, logFields } from '../domain/log.ts'
import { normalizeOrigin } from '../domain/settings/cors-origin.ts'
import { createLogSink, type LogSink } from './log-sink.ts'
import { reduceError } from './reduce-error.ts'

export interface LogOptions {
  level: string
  /** Where lines go; stderr by default. */
  destination?: LogSink
  /** The number of this process, if several share the log. */
  process?: number
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

// No grammar allows long runs of mixed digits and letters, so a key, a token or a password does not match by accident.
// None allows a character that JSON would have to escape.
const idGrammar = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const wordGrammar = /^[A-Za-z][A-Za-z_-]{0,39}[0-9]{0,4}$/
const routeGrammar = /^(?:\/(?:v[0-9]|:?[A-Za-z._*-]{1,40})?){1,16}$/
const codeGrammar = /^(?:[A-Z_]{2,48}|[a-z_]{2,48}|ERR_HTTP2_[A-Z_]{1,40}|[0-9A-Z]{5})$/
const eventGrammar = /^[A-Za-z][A-Za-z ,'-]{0,79}$/

const variableGrammar = /^[A-Za-z][A-Za-z_]{0,39}(?:[0-9]{1,4}[A-Za-z_]{0,20})?$/

const maxOriginLength = 200

const toJson = (text: string | null) => (text === null ? undefined : JSON.stringify(text))
const isString = (value: unknown): value is string => typeof value === 'string'
const matching = (grammar: RegExp) => (value: unknown) => (isString(value) && grammar.test(value) ? value : undefined)
const quoted = (grammar: RegExp) => (value: unknown) =>
  isString(value) && grammar.test(value) ? `"${value}"` : undefined
const asWord = matching(wordGrammar)
const listed = (read: (value: unknown) => string | undefined) => (value: unknown) =>
  Array.isArray(value) ? JSON.stringify(value.slice(0, 20).map(read).filter(isString)) : undefined

/** Return the JSON of a value that fits its field. */
const shapes: Record<LogFieldKind, (value: unknown) => string | undefined> = {
  id: quoted(idGrammar),
  word: quoted(wordGrammar),
  words: listed(asWord),
  variables: listed(matching(variableGrammar)),
  route: quoted(routeGrammar),
  code: quoted(codeGrammar),
  address: value => (isString(value) && (isIP(value) > 0 || value === 'localhost') ? JSON.stringify(value) : undefined),
  origin: value => (isString(value) && value.length <= maxOriginLength ? toJson(normalizeOrigin(value)) : undefined),
  version: quoted(/^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$/),
  number: value => (typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined),
  boolean: value => (typeof value === 'boolean' ? String(value) : undefined),
  error: value => (value === undefined ? undefined : JSON.stringify(reduceError(value, matching(codeGrammar)))),
}

/** Fields with few different values, whose JSON is cached. */
const recurring: ReadonlySet<string> = new Set(['tenant_id', 'project_id', 'plane', 'method', 'route'])
const maxCached = 5_000

/** Returns the comma, the name and the value; undefined if the value does not fit, and such a value is not cached. */
function createWriter(name: string, kind: LogFieldKind): (value: unknown) => string | undefined {
  const [start, shape] = [`,"${name}":`, shapes[kind]]
  const write = (value: unknown): string | undefined => {
    const json = shape(value)
    return json === undefined ? undefined : start + json
  }
  return recurring.has(name) ? memoizeKnown(write, maxCached) : write
}

const writers = new Map(Object.entries(logFields).map(([name, kind]) => [name, createWriter(name, kind)]))

function writeFields(fields: LogFields): string {
  let text = ''
  for (const name in fields) {
    const value = fields[name as keyof LogFields]
    if (value !== undefined) text += writers.get(name)?.(value) ?? ''
  }
  return text
}

const nameEvent = memoizeKnown(matching(eventGrammar), maxCached)

/** One text for all lines of a millisecond. */
function createClock(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

export function createLog({ level, destination, process }: LogOptions): Log {
  const minLevel = levels.indexOf(level)
  if (minLevel < 0) throw new RangeError('unknown log level')
  const sink = destination ?? createLogSink(process !== undefined)
  const time = createClock()
  const own = process === undefined ? '' : `,"process":${process}`
  const at = (name: 'debug' | 'info' | 'warn' | 'error') => {
    if (levels.indexOf(name) < minLevel) return () => undefined
    const isUrgent = name === 'warn' || name === 'error'
    return (event: string, fields: LogFields = {}) => {
      const words = nameEvent(event) ?? 'unnamed event'
      sink.write(`{"level":"${name}","time":"${time()}","event":"${words}"${own}${writeFields(fields)}}\n`)
      if (isUrgent) sink.flush?.()
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
