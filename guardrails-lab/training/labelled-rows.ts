// Reads the labelled texts for training and for measuring, and groups rows of one template, which must not be split
// between training and measuring.

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
  /** Matches here count neither as right nor as wrong. */
  ignore: { start: number; end: number }[]
  /** The types that are labelled in this text: PERSON, LOCATION, ORG. */
  types: string[]
  /** Types of which only some occurrences are labelled. */
  partly: string[]
  /** Equal for rows of one template, which are held out together. */
  group: string
}

/** Evaluation files whose licence allows training: CC BY, MIT and CC0. The others are only for measuring. */
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

/** Real prompts of engineers, in which nearly every match is a false positive. */
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

/** The first letters of a text without the values that were filled into its template. */
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
