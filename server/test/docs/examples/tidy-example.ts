// Turns a recorded exchange into an example for readers: values that differ from run to run become fixed ones, and long
// lists and texts are cut.
import type { Example } from '../../../src/pages/reference/examples.ts'
import type { RecordedExchange } from '../../support/runner/record-exchange.ts'

const maxItems = 2
const maxLines = 6
const maxTextLength = 400
const maxResponseLength = 8_000
const maxKeys = 20
const maxDepth = 4
const newest = Date.parse('2026-03-02T10:15:30.000Z')

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
/** Digests, keys, signatures: nobody reads them, and each run makes others. */
const opaque = /(?<![\w/.\\-])(?<prefix>[a-z]+_(?:[a-z]+_)*)?(?<random>[\w-]{32,}[\w+/=-]*)/g
const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g

export function tidyExample({ path, body, status, response }: RecordedExchange): Example {
  const ids = new Map<string, string>()
  const shown = shorten(response)
  const isLong = JSON.stringify(shown ?? null).length > maxResponseLength
  const text = JSON.stringify({ path, body: shorten(body), status, response: isLong ? prune(shown, 1) : shown })
  const times = [...text.matchAll(time)].map(([found]) => Date.parse(found))
  const shift = newest - Math.max(...times)
  const fixed = text
    .replace(time, found => new Date(Date.parse(found) + shift).toISOString())
    .replace(uuid, found => {
      const known = ids.get(found) ?? `7f6c2a10-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`
      ids.set(found, known)
      return known
    })
    .replace(/https?:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'https://gateway.example.com')
    .replace(/(?<![/\w-])(?!mistral|claude|command|gemini|gpt|text)[a-z]+-[a-z]+-\d{3,4}\b/g, 'amber-falcon-4821')
    .replace(/"(password|current_password)":"[0-9a-f]{24}"/g, '"$1":"correct horse battery staple"')
    .replace(/(?<=[\w-])\.localhost(?::\d+)?/g, '.apps.example.com')
    .replace(/(?:localhost|127\.0\.0\.1):\d+/g, 'gateway.example.com')
    .replace(/person-[0-9a-f]+(?=@|%40)/g, 'alice')
    .replace(/Tenant [0-9a-f]{8}/g, 'Acme')
    .replace(/Taken over/g, 'Support')
    .replace(/taken-over/g, 'support')
    .replace(opaque, (found, prefix: string | undefined, random: string) =>
      /\d/.test(random) && !/^7f6c2a10-/.test(found) ? (prefix ?? '') + ofLength(random.length) : found,
    )
  return JSON.parse(fixed) as Example
}

const ofLength = (length: number): string => '0123456789abcdef'.repeat(Math.ceil(length / 16)).slice(0, length)

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return shortenText(value)
  if (Array.isArray(value)) return value.slice(0, isObject(value[0]) ? maxItems : undefined).map(shorten)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, shorten(of)]))
}

/** Of documents that describe a whole API: their beginning. */
function prune(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map(each => prune(each, depth + 1))
  if (!isObject(value)) return value
  if (depth > maxDepth) return {}
  const entries = Object.entries(value)
  const kept = entries.length > maxKeys ? entries.slice(0, maxItems) : entries
  return Object.fromEntries(kept.map(([key, of]) => [key, prune(of, depth + 1)]))
}

function shortenText(given: string): string {
  const text = given.replace(token, 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl')
  const [pem] = /-----BEGIN [A-Z ]+-----/.exec(text) ?? []
  if (pem !== undefined) return `${pem}\n…\n${pem.replace('BEGIN', 'END')}\n`
  const lines = text.split('\n').map(line => (line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line))
  return lines.length > maxLines ? [...lines.slice(0, maxLines), '…'].join('\n') : lines.join('\n')
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Higher for exchanges that show more and read well; tests also send values that nobody would. */
export function worthOf({ path, body, response }: RecordedExchange): number {
  const text = JSON.stringify([path, body ?? null, response ?? null])
  const shown = leavesOf([body, response]).filter(value => value !== null && value !== '').length
  const isOdd = /[^\x20-\x7e…–’“”]|\\[nurbt"\\]|(.)\1{7}|<|naughty|hostile|":"\w"/i.test(text)
  return Math.min(shown, 40) - text.length / 200 - (isOdd ? 30 : 0)
}

function leavesOf(value: unknown): unknown[] {
  if (isObject(value)) return Object.values(value).flatMap(leavesOf)
  return value === undefined ? [] : [value]
}
