// Reads the labelled texts: which files, what their labels do and do not say, and which rows belong together when some
// are kept back to measure on. Knows no features.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Span {
  start: number
  end: number
  type: string
}

export interface LabelledRow {
  source: string
  text: string
  spans: Span[]
  /** Neither right nor wrong. */
  ignore: { start: number; end: number }[]
  /** Types that are labelled at all: PERSON, LOCATION, ORG. */
  types: string[]
  /** Of these types some are not labelled. */
  partly: string[]
  /** Rows made of one template have one; they are kept back together. */
  group: string
}

/** What may be trained on, of the evaluation files: CC BY, MIT and CC0. The others are only measured on. */
const trainableFiles = ['btc', 'wnut17', 'nlu_eval_home', 'restaurant8k', 'nlupp', 'sec_fin3', 'wikigold', 'gw_synth']

export function mayTrainOn(source: string): boolean {
  return trainableFiles.includes(source) || source.startsWith('presidio_') || source.startsWith('msrec_')
}

export function readTrainingRows(folder: string): LabelledRow[] {
  return readLines(join(folder, 'pii-train/train.jsonl')).map(row => ({
    source: row.src,
    text: row.text,
    spans: row.spans,
    ignore: [],
    types: row.src === 'nlu' ? ['PERSON', 'LOCATION'] : row.src === 'r8k' ? ['PERSON'] : ['PERSON', 'LOCATION', 'ORG'],
    partly: [],
    group: groupOf(row.text, row.spans),
  }))
}

export function readEvaluationRows(folder: string): LabelledRow[] {
  const files = readdirSync(join(folder, 'pii/dev')).sort()
  const rows = files.flatMap(file => readLines(join(folder, 'pii/dev', file)))
  return rows
    .filter(row => row.types.includes('PERSON') || row.types.includes('LOCATION'))
    .map(row => ({
      source: row.source,
      text: row.text,
      spans: row.spans,
      ignore: row.ignore ?? [],
      types: row.types,
      partly: row.recall_only ? row.types : (row.recall_only_types ?? []),
      group: groupOf(row.text, row.spans),
    }))
}

/** Real prompts of engineers, in which nearly every find is a false one. */
export function readTechnicalPrompts(folder: string): string[] {
  return ['arena_hard', 'mitre_frr'].flatMap(file =>
    readLines(join(folder, `injection/dev/${file}.jsonl`)).map(row => row.text),
  )
}

interface RawRow {
  src: string
  source: string
  text: string
  spans: Span[]
  types: string[]
  ignore?: { start: number; end: number }[]
  recall_only?: boolean
  recall_only_types?: string[]
}

function readLines(path: string): RawRow[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line))
}

/** The opening of a text without what was filled into its template. */
function groupOf(text: string, spans: Span[]): string {
  let plain = ''
  let from = 0
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < from) continue
    plain += text.slice(from, span.start)
    from = span.end
  }
  plain += text.slice(from)
  const letters = plain.toLowerCase().replace(/[^a-z]/g, '')
  return letters.slice(0, 30)
}
