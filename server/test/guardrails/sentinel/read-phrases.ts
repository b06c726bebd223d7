// The phrases that were written for Sentinel, and its verdict on one text.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blockCuts } from '../../../src/domain/guardrails/sentinel-threshold.ts'
import { createSentinel } from '../../../src/guardrails/sentinel/sentinel.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'
import { said } from './said.ts'

export interface Phrase {
  batch: string
  label: 'attack' | 'benign'
  /** The family of an attack; what a benign text resembles. */
  kind: string
  technique: string
  language: string
  text: string
}

export function readPhrases(): Phrase[] {
  const file = readFileSync(join(import.meta.dirname, '../../data/sentinel/phrases.tsv'), 'utf8')
  const [, ...rows] = file.trimEnd().split('\n')
  return rows.map(row => {
    const [batch, label, kind, technique, language, text] = row.split('\t')
    return {
      batch: batch!,
      label: label as Phrase['label'],
      kind: kind!,
      technique: technique!,
      language: language!,
      text: JSON.parse(text!),
    }
  })
}

const sentinel = createSentinel([])
const plenty = 100_000_000

/** What a threshold blocks a text for. */
export async function familiesOf(text: string, threshold: keyof typeof blockCuts = 'balanced'): Promise<string[]> {
  const { families, score } = await sentinel.scan(said(text), createWorkBudget(plenty))
  return score >= blockCuts[threshold] ? families : []
}

/** The share of the texts in which some family is found, and the others. */
export async function shareFound(
  texts: readonly string[],
): Promise<{ share: number; missed: string[]; found: string[] }> {
  const missed: string[] = []
  const found: string[] = []
  for (const text of texts) {
    const families = await familiesOf(text)
    if (families.length === 0) missed.push(text)
    else found.push(text)
  }
  return { share: texts.length === 0 ? 0 : found.length / texts.length, missed, found }
}
