// Reduces an error to what is safe to log: its class, its code, its stack frames, and the same of its causes. Must not
// log messages: those of drivers, parsers and providers quote URLs, keys, bodies and SQL values.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { codeFolder, productFolder } from '../files/own-files.ts'
import { findSourcePlace } from './source-lines.ts'

interface ReducedError {
  name: string
  code?: string | number
  at?: string[]
  cause?: ReducedError
  errors?: ReducedError[]
}

const causeLimit = 5
const frameLimit = 10
const nameGrammar = /^[A-Z][A-Za-z]{0,39}$/
const functionGrammar = /^(?:async |new |get |set )?[A-Za-z_$<>.]{1,60}$/
const frameGrammar = /^ {4}at (?:(.{1,120}) \()?(.{1,400}):(\d{1,6}):(\d{1,6})\)?$/
const builtinGrammar = /^node:[a-z_]{1,40}(?:\/[a-z_]{1,40}){0,4}$/
const knownPlaces = new Map<string, boolean>()
const knownPlacesLimit = 2_000

export function reduceError(thrown: unknown, asCode: (code: unknown) => string | undefined, depth = 0): ReducedError {
  if (!(thrown instanceof Error)) return { name: 'NotAnError' }
  try {
    const { name, cause, stack } = thrown
    const code: unknown = 'code' in thrown ? thrown.code : undefined
    const reduced: ReducedError = { name: nameGrammar.test(name) ? name : 'Error' }
    const safeCode = typeof code === 'number' ? code : asCode(code)
    if (safeCode !== undefined) reduced.code = safeCode
    const frames = readFrames(stack)
    if (frames.length > 0) reduced.at = frames
    if (depth >= causeLimit) return reduced
    if (cause !== undefined) reduced.cause = reduceError(cause, asCode, depth + 1)
    if (thrown instanceof AggregateError) {
      reduced.errors = thrown.errors.slice(0, 3).map(each => reduceError(each, asCode, depth + 1))
    }
    return reduced
  } catch {
    // A getter of the thrown object threw: there is nothing safe left to read.
    return { name: 'UnreadableError' }
  }
}

/** Takes only the last unbroken block of frames: the text above it is the message, even if it looks like frames. */
function readFrames(stack: unknown): string[] {
  if (typeof stack !== 'string') return []
  const frames: string[] = []
  for (const line of stack.split('\n').reverse()) {
    if (!line.startsWith('    at ')) break
    frames.push(describeFrame(frameGrammar.exec(line)))
  }
  return frames.reverse().slice(-frameLimit)
}

function describeFrame(frame: RegExpExecArray | null): string {
  const [, called, location = '', line, column] = frame ?? []
  const where = readPlace(location, Number(line), Number(column))
  if (where === null) return 'elsewhere'
  return called !== undefined && functionGrammar.test(called) ? `${called} ${where}` : where
}

/**
 * Accepts a module of the runtime or a file that exists: a path that a message invents does not. Names the source of a
 * file of the build.
 */
function readPlace(location: string, line: number, column: number): string | null {
  if (location.startsWith('node:')) return builtinGrammar.test(location) ? `${location}:${line}:${column}` : null
  const path = location.startsWith('file://') ? location.slice('file://'.length) : location
  if (!path.startsWith(`${productFolder}/`) || path.includes('..')) return null
  if (!isKnownPlace(path)) return null
  const source = path.startsWith(codeFolder) ? findSourcePlace(path, line, column) : null
  const place = source ?? { path, line, column }
  return `${relative(productFolder, place.path)}:${place.line}:${place.column}`
}

function isKnownPlace(path: string): boolean {
  const known = knownPlaces.get(path)
  if (known !== undefined) return known
  if (knownPlaces.size >= knownPlacesLimit) knownPlaces.clear()
  const exists = existsSync(path)
  knownPlaces.set(path, exists)
  return exists
}
