// Shows which share of the texts of each source is blocked by weights that were trained without them.

import { isEveryday, type TrainingText } from './training-texts.ts'

export interface MeasuredText extends TrainingText {
  /** How far it is above or below the cut of the default threshold. */
  margin: number
}

type IsIn = (text: MeasuredText) => boolean

const hasAuthor: IsIn = ({ record }) => record.author !== null

/** The shares that the header of the weights names. */
const reached: Readonly<Record<string, IsIn>> = {
  'attacks by authors': text => text.isAttack && hasAuthor(text),
  'harmless texts by authors': text => !text.isAttack && hasAuthor(text),
  'attacks of other sources': text => text.isAttack && !hasAuthor(text),
  'harmless texts of other sources': text => !text.isAttack && !hasAuthor(text),
  'everyday texts': text => isEveryday(text.record),
}

const shareOf = (texts: readonly MeasuredText[]): number =>
  Math.round((1e4 * texts.filter(({ margin }) => margin >= 0).length) / Math.max(texts.length, 1)) / 1e4

export function reachedBy(texts: readonly MeasuredText[]): Record<string, number> {
  return Object.fromEntries(Object.entries(reached).map(([name, isIn]) => [name, shareOf(texts.filter(isIn))]))
}

/** A line for each source, size and kind. */
export function showShares(texts: readonly MeasuredText[]): string {
  const kinds: Readonly<Record<string, IsIn>> = {
    ...reached,
    'attacks in scope': text => text.isAttack && text.record.families.length > 0 && !hasAuthor(text),
    'hard harmless texts': text => !text.isAttack && text.record.isHard,
    'short texts': text => text.isShort,
    'long texts': text => !text.isShort,
  }
  const rows = Map.groupBy(texts, ({ isAttack, record }) => `${isAttack ? 'attack  ' : 'harmless'} ${record.source}`)
  const line = (name: string, own: readonly MeasuredText[]) =>
    `${name.padEnd(44)} blocked ${shareOf(own).toFixed(4)} of ${own.length}`
  return [
    ...[...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, own]) => line(name, own)),
    ...Object.entries(kinds).map(([name, isIn]) => line(name, texts.filter(isIn))),
  ].join('\n')
}
