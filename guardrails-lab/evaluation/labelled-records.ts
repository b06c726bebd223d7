// Reads labelled texts from JSON lines. The fields of a record decide which guardrail it is for.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

export interface Zone {
  start: number
  /** Exclusive. Both count UTF-16 units. */
  end: number
}

/** The places of personal data in a text, as far as the source labels them. */
export interface PiiRecord {
  kind: 'pii'
  source: string
  text: string
  spans: (Zone & { type: string })[]
  /** The types that are labelled in this text; other types are not counted. */
  types: string[]
  /** Matches here count neither as right nor as wrong. */
  ignored: Zone[]
  /** Types of which only some occurrences are labelled: missed labels count, matches without a label do not. */
  partly: string[]
}

/** Whether a text is an attack on the instructions of a conversation. */
export interface AttackRecord {
  kind: 'attack' | 'benign'
  source: string
  text: string
  /** Sentinel's families that the attack belongs to; empty if it is out of Sentinel's scope. */
  families: string[]
  /** A person chose the families; otherwise a rule guessed them. */
  isByHand: boolean
  /** Harmless, but with many words of attacks. */
  isHard: boolean
  /** Harmless: the text quotes an attack to discuss it. */
  isQuote: boolean
  technique: string | null
  language: string | null
  /** The person who wrote the text for the training of Sentinel. */
  author: string | null
}

export type LabelledRecord = PiiRecord | AttackRecord

export const isPii = (record: LabelledRecord): record is PiiRecord => record.kind === 'pii'
export const isAttackRecord = (record: LabelledRecord): record is AttackRecord => record.kind !== 'pii'

/** Texts of the authors that Sentinel was neither trained nor tuned on. Do not read them. */
export const heldOutFolder = join(import.meta.dirname, '../training/sentinel/held-out')

export class UnreadableRecord extends Error {}

/** Reads the given files, and all `.jsonl` files below the given folders. */
export function readLabelledRecords(paths: readonly string[]): LabelledRecord[] {
  return paths.flatMap(listFiles).flatMap(readFile)
}

function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => extname(name) === '.jsonl').sort()
  return files.map(name => join(path, name))
}

function readFile(path: string): LabelledRecord[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, `${path}:${index + 1}`)]))
}

/** A record before it is checked: any field may be absent or have another type. */
interface Raw {
  text?: unknown
  source?: unknown
  author?: unknown
  label?: unknown
  families?: unknown
  family?: unknown
  fam_src?: unknown
  hard?: unknown
  quote?: unknown
  tech?: unknown
  lang?: unknown
  language?: unknown
  spans?: unknown
  types?: unknown
  ignore?: unknown
  recall_only?: unknown
  recall_only_types?: unknown
}

function readLine(line: string, place: string): LabelledRecord {
  const raw = parse(line, place)
  const { text, author, source = author ?? 'unnamed' } = raw
  if (typeof text !== 'string' || typeof source !== 'string') throw new UnreadableRecord(`${place}: no text`)
  if (Array.isArray(raw.spans)) return readPii(raw, { text, source }, place)
  if (raw.label === 'attack' || raw.label === 'benign') return readAttack(raw, { text, source })
  throw new UnreadableRecord(`${place}: neither spans nor a label "attack" or "benign"`)
}

function parse(line: string, place: string): Raw {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new UnreadableRecord(`${place}: not JSON`, { cause })
  }
  throw new UnreadableRecord(`${place}: not an object`)
}

type Named = Pick<LabelledRecord, 'text' | 'source'>

function readPii(raw: Raw, named: Named, place: string): PiiRecord {
  const spans = readZones(raw.spans, named.text, place)
  const types = readTexts(raw.types)
  const partly = raw.recall_only === true ? types : readTexts(raw.recall_only_types)
  const typed = spans.map(span => ({ ...span, type: typeof span.type === 'string' ? span.type : '' }))
  return { kind: 'pii', ...named, spans: typed, types, ignored: readZones(raw.ignore ?? [], named.text, place), partly }
}

function readZones(value: unknown, text: string, place: string): (Zone & { type?: unknown })[] {
  const zones = Array.isArray(value) ? value : []
  const isZone = ({ start, end }: Zone) =>
    Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end >= start && end <= text.length
  if (!zones.every(isZone)) throw new UnreadableRecord(`${place}: a span that is not within the text`)
  return zones
}

function readAttack(raw: Raw, named: Named): AttackRecord {
  return {
    kind: raw.label === 'attack' ? 'attack' : 'benign',
    ...named,
    families: readTexts(raw.families ?? [raw.family]),
    isByHand: raw.fam_src === 'hand' || typeof raw.author === 'string',
    isHard: raw.hard === true,
    isQuote: raw.quote === true,
    technique: readText(raw.tech),
    language: readText(raw.lang ?? raw.language),
    author: readText(raw.author),
  }
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}
