// Generates prompts from our own templates: each template several times, some in lower case, some in capitals, some
// joined into longer texts.

import { type NameLists, readEnglishWords } from '../build-lexicon.ts'
import type { Chance } from '../chance.ts'
import type { LabelledRow } from '../labelled-rows.ts'
import { commonWordTemplates } from './common-words.ts'
import { fill } from './fill.ts'
import { geographyTemplates } from './geography.ts'
import { messageTemplates } from './messages.ts'
import { proseTemplates } from './prose.ts'
import { recordTemplates } from './records.ts'
import { requestTemplates } from './with-names.ts'
import { technicalTemplates } from './without-names.ts'

const fillsOfRequest = 22
const fillsOfTechnical = 32

export function makeOwnPrompts(lists: NameLists, chance: Chance): LabelledRow[] {
  const filler = { lists, words: readEnglishWords().common, chance }
  const rows: LabelledRow[] = []
  for (const template of [
    ...requestTemplates,
    ...proseTemplates,
    ...messageTemplates,
    ...recordTemplates,
    ...geographyTemplates,
  ]) {
    for (let copy = 0; copy < fillsOfRequest; copy++) rows.push(restyle(fill(template, filler, 'own'), chance))
  }
  for (const template of [...technicalTemplates, ...commonWordTemplates]) {
    const copies = template.includes('{') ? fillsOfTechnical : 4
    for (let copy = 0; copy < copies; copy++) rows.push(restyle(fill(template, filler, 'own'), chance))
  }
  const single = rows.length
  for (let pair = 0; pair < single / 5; pair++) rows.push(join(chance.pick(rows), chance.pick(rows), chance))
  return rows
}

/** A text whose length changes with its case stays as it is, because the offsets of its labels would be wrong. */
function restyle(row: LabelledRow, chance: Chance): LabelledRow {
  const roll = chance.next()
  const text = roll < 0.16 ? row.text.toLowerCase() : roll < 0.21 ? row.text.toUpperCase() : row.text
  return text.length === row.text.length ? { ...row, text } : row
}

function join(first: LabelledRow, second: LabelledRow, chance: Chance): LabelledRow {
  const between = chance.pick(['\n', ' ', '\n\n', '. '])
  const shift = first.text.length + between.length
  const moved = second.spans.map(span => ({ ...span, start: span.start + shift, end: span.end + shift }))
  return { ...first, text: first.text + between + second.text, spans: [...first.spans, ...moved] }
}
