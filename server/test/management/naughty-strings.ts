// Strings that broke other people's software, and the places of a JSON body where a string can stand. The list is our
// own; a longer public one is read where the machine has it.
import { readFileSync } from 'node:fs'
import { findSharedData } from '../support/shared-data.ts'

/** Stacked marks, as many as make text climb out of its line. */
const zalgo = [...'zalgo'].map(letter => letter + '\u0301\u0334\u035c\u0489'.repeat(8)).join('')

/** Each of these has its own way to break a database, an encoder, a header or an object: every place gets many. */
const sharpStrings: readonly string[] = [
  // Nothing, and what looks like nothing
  ...['', ' ', '\t\r\n', '\u200b', '\u3164'],
  // What databases and encoders cannot hold
  ...['\0', 'a\0b', '\ud800', '\udc00x', 'x\ud83d', '\udc00\ud800', '\ufffe\uffff', '\u0001\u001b[31m\u007f\u0085'],
  // Line ends that split headers, logs and events
  ...['a\r\nX-Injected: 1', 'a\ndata: [DONE]\n\n', 'a\u2028b\u2029c'],
  // Longer in one form or count than in another
  ...[zalgo, 'ﷺ'.repeat(40), '👾'.repeat(255), 'é'.repeat(300), 'x'.repeat(10_000), 'ａ'.repeat(32_001)],
  // Languages that somebody may be tempted to run, and names that objects already have
  ...["'; drop table tenants; --", '$1 ? :name @@x', 'a\\', '%', '__proto__', 'constructor', 'then', 'null', '{"a":1}'],
]

/** The rest, of which a place gets some. */
const otherStrings: readonly string[] = [
  // Nothing, and what looks like nothing
  ...['\u00a0', '\u2800', '\ufeff', '\u00ad\u2060\u180e'],
  // Line ends that split headers, logs and events
  ...['a\vb\fc', '%0d%0aSet-Cookie:a=b'],
  // Directions, marks, width, case and composition
  ...['\u202eevil\u202c', 'مرحبا بالعالم', 'עברית\u200f\u2067abc\u2069', 'ｆｕｌｌ', 'ﬁﬂ', 'ß', 'İıſK'],
  ...['e\u0301\u00e9', '\u1e9b\u0323', 'Ω≈ç√∫˜µ≤≥÷', '田中さんにあげて下さい', '𠜎𠜱𠝹'],
  // Emoji, joined and flagged
  ...['👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🇺🇸🇷🇺', '👾🙇💁🙅🙆🙋🙎🙍', '❤️\u20e3'],
  // Languages that somebody may be tempted to run
  ...["1' or '1'='1", '" or ""="', "E'\\x00'", '_%', '{}'],
  ...[
    '\u0024{7*7}{{7*7}}<%= 7*7 %>#{7*7}',
    '\u0024{jndi:ldap://127.0.0.1/a}',
    '<script>alert(1)</script>',
    '$(id)`id`|id;id&',
  ],
  ...['=1+1', '@SUM(1)', '../../../etc/passwd', 'file:///etc/passwd', 'C:\\NUL', '%s%n%x', '\\u0000', '(a+)+$'],
  // Names that objects already have, and words of other types
  ...['prototype', 'toString', 'hasOwnProperty', 'length', '$ref', '__type'],
  ...['undefined', 'true', 'NaN', 'Infinity', '[object Object]', '[]', '"', "'"],
  // Numbers in words
  ...['0', '-0', '1', '-1', '007', '0x7f', '1e309', '1_000', '9007199254740993', '1,5', '٣', '½', '2026-02-30'],
  // Long
  ...['a'.repeat(256), ' '.repeat(10_000), '('.repeat(5000)],
  ...['a@'.repeat(5000), `${'a.'.repeat(5000)}a`, `https://${'a'.repeat(3000)}/`],
  // Addresses
  ...[
    'http://127.0.0.1:1/',
    'https://[::1]/',
    'https://user:pw@example.com/',
    'javascript:alert(1)',
    '//x',
    'https://\u2025',
  ],
]

export const hardStrings: readonly string[] = [...sharpStrings, ...otherStrings]

/** The public list; empty where this machine does not have it. */
export function publicStrings(): string[] {
  const path = findSharedData('security/blns.json')
  return path === null ? [] : (JSON.parse(readFileSync(path, 'utf8')) as string[])
}

/**
 * What is tried at a place: some of the sharp ones and a few of all others, which are others at another place. There are
 * so many places that each is tried at dozens of them; everything everywhere is for the full counts.
 */
export function stringsAt(place: string, known: readonly string[], isFull: boolean): string[] {
  if (isFull) return [...hardStrings, ...known]
  return [
    ...sampleFor(`sharp ${place}`, sharpStrings, 6),
    ...sampleFor(place, otherStrings, 2),
    ...sampleFor(place, known, 1),
  ]
}

/** The same `count` of them each time, others for another name. */
export function sampleFor<Item>(name: string, items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items]
  let state = [...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) >>> 0, 7)
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return items[Math.floor((state / 2 ** 32) * items.length)] as Item
  })
}

export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  additionalProperties?: JsonSchema | boolean
}

/** Where in a body a value can stand: names, and 0 for the first of a list. */
export type Path = readonly (string | 0)[]

export interface Place {
  path: Path
  /** Takes any text, so every string is worth trying; others take a few words or another type altogether. */
  isFree: boolean
}

/** Stands for a name that the tried string takes itself. */
export const asName = '<name>'

/** Every leaf of the schema, whatever its type: a string where a number belongs is one of the oldest faults. */
export function placesOf(schema: JsonSchema, path: Path = []): Place[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(choice => placesOf(choice, path))
  const types = [schema.type ?? 'string'].flat()
  const whole: Place[] = path.length === 0 ? [] : [{ path, isFree: false }]
  if (types.includes('array')) return [...whole, ...placesOf(schema.items ?? {}, [...path, 0])]
  if (types.includes('object')) {
    const named = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => placesOf(inner, [...path, name]))
    return [...whole, ...named, { path: [...path, asName], isFree: true }]
  }
  return types.join() === 'null' ? [] : [{ path, isFree: types.includes('string') && schema.enum === undefined }]
}

/** A copy of the body with the text at the place, and whatever has to stand around it. */
export function withText(body: unknown, path: Path, text: string): unknown {
  const [first, ...rest] = path
  if (first === undefined) return text
  if (first === 0) return [withText(Array.isArray(body) ? body[0] : undefined, rest, text)]
  const entries = Object.entries(typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {})
  const name = first === asName ? text : first
  const inner = entries.find(([key]) => key === name)?.[1]
  const changed: unknown = first === asName ? 'value' : withText(inner, rest, text)
  // fromEntries defines names such as __proto__ instead of assigning them.
  return Object.fromEntries([...entries.filter(([key]) => key !== name), [name, changed]])
}

export function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string | number, unknown> | undefined)?.[name], body)
}

/** Any text as bytes of a URL's part; unpaired surrogates as the three bytes that some encoders write for them. */
export function percentEncoded(text: string): string {
  const encodeUnit = (unit: string) => {
    const code = unit.codePointAt(0) ?? 0
    const bytes =
      code >= 0xd800 && code <= 0xdfff
        ? [0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
        : [...Buffer.from(unit)]
    return bytes.map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  }
  return [...text].map(encodeUnit).join('')
}
