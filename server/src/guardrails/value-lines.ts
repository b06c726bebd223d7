// Writes values as lines of their texts, which is what scanners read: a text gets its field's name, because a name says
// what a number is.

import { readableText } from '../domain/conversation/data-url.ts'
import { JsonText } from '../domain/json/json-text.ts'
import type { JsonObject } from '../domain/json-object.ts'
import { type JsonSink, readJson, readString } from './read-json.ts'

export const itemsPerYield = 512

/** The content of one readOnly text: texts, and values that contain texts. */
export type Gathered = (string | object)[]

/** The items of a list repeat its name only if it is short: the lines stay a small multiple of the value. */
const maxListNameLength = 24

/** All texts in order. Texts within a value get their field's name, because a name says what a number is. */
export function* linesOf(gathered: Gathered): Generator<void, string[]> {
  const lines: string[] = []
  for (let at = 0; at < gathered.length; at++) {
    const one = gathered[at]!
    if (typeof one === 'string') lines.push(one)
    else yield* addLines(one, lines)
    if ((at + 1) % itemsPerYield === 0) yield
  }
  return lines
}

/** They say nothing, and many lines of them read like the forged turns of a conversation. */
const partTypes: ReadonlySet<string> = new Set(['content', 'document', 'file', 'image', 'input_text', 'text', 'url'])

function* addLines(value: object, lines: string[]): Generator<void> {
  const open = [walkOf('', value)]
  let read = 0
  for (let walk = open.at(-1); walk !== undefined; walk = open.at(-1)) {
    const at = walk.next++
    if (at === walk.count) open.pop()
    else {
      const member = walk.memberAt(at)
      const name = walk.nameAt(at)
      if (member instanceof JsonText) yield* readJson(member.text, new TextLines(name, member.text, lines))
      else if (typeof member === 'object' && member !== null) {
        addHead(name, Array.isArray(member) ? member.length === 0 : null, lines)
        open.push(walkOf(name, member))
      } else if (typeof member === 'string') addText(name, member, lines)
      else if (typeof member === 'number') addNumber(name, String(member), lines)
      else addName(name, lines)
    }
    if (++read % itemsPerYield === 0) yield
  }
}

/** A list or an object in progress: the members from `next` on are still to be read. */
interface Walk {
  next: number
  count: number
  nameAt(at: number): string
  memberAt(at: number): unknown
}

function walkOf(name: string, value: object): Walk {
  if (Array.isArray(value)) {
    const listName = nameOfItems(name)
    return { next: 0, count: value.length, nameAt: () => listName, memberAt: at => value[at] as unknown }
  }
  const [names, members] = [Object.keys(value), value as JsonObject]
  return { next: 0, count: names.length, nameAt: at => names[at]!, memberAt: at => members[names[at]!] }
}

function nameOfItems(listName: string): string {
  return listName.length <= maxListNameLength ? listName : ''
}

/** `isEmptyList` is null for an object. */
function addHead(name: string, isEmptyList: boolean | null, lines: string[]): void {
  if (isEmptyList !== false || name.length > maxListNameLength) addName(name, lines)
}

function addName(name: string, lines: string[]): void {
  if (name !== '') lines.push(name)
}

function addText(name: string, text: string, lines: string[]): void {
  if (name === 'type' && partTypes.has(text)) return
  lines.push(name === '' ? readableText(text) : `${name}: ${readableText(text)}`)
}

/** A shorter number is no personal data, and schemas and vectors have many. */
const longNumber = /(?:\d\D?){6}/

function addNumber(name: string, text: string, lines: string[]): void {
  if (!longNumber.test(text)) addName(name, lines)
  else lines.push(name === '' ? text : `${name}: ${text}`)
}

interface OpenValue {
  name: string
  isList: boolean
  isEmpty: boolean
}

/** Adds the lines of a text. Of a repeated member all values are read: a provider may use any of them. */
class TextLines implements JsonSink {
  readonly #text: string
  readonly #lines: string[]
  readonly #open: OpenValue[] = []
  #name: string

  constructor(name: string, text: string, lines: string[]) {
    this.#name = name
    this.#text = text
    this.#lines = lines
  }

  open(isList: boolean): void {
    const name = this.#nameOfNext()
    addHead(name, isList ? false : null, this.#lines)
    this.#open.push({ name, isList, isEmpty: true })
  }

  close(): void {
    const closed = this.#open.pop()
    if (closed?.isList && closed.isEmpty && closed.name.length <= maxListNameLength) addName(closed.name, this.#lines)
  }

  name(start: number, end: number, hasEscapes: boolean): void {
    this.#name = readString(this.#text, start, end, hasEscapes)
  }

  text(start: number, end: number, hasEscapes: boolean): void {
    addText(this.#nameOfNext(), readString(this.#text, start, end, hasEscapes), this.#lines)
  }

  number(start: number, end: number): void {
    addNumber(this.#nameOfNext(), this.#text.slice(start, end), this.#lines)
  }

  word(): void {
    addName(this.#nameOfNext(), this.#lines)
  }

  #nameOfNext(): string {
    const holder = this.#open.at(-1)
    if (holder === undefined) return this.#name
    holder.isEmpty = false
    return holder.isList ? nameOfItems(holder.name) : this.#name
  }
}
