// Converts labelled texts into training examples: the features of each token and the labels that it may have.

import { featureCount, readFeatures } from '../../server/src/guardrails/pii/tagger/features.ts'
import type { Lexicon } from '../../server/src/guardrails/pii/tagger/lexicon.ts'
import { known } from '../../server/src/guardrails/pii/tagger/lexicon.ts'
import { labels } from '../../server/src/guardrails/pii/tagger/marginals.ts'
import { createReading, readText, type TaggerReading } from '../../server/src/guardrails/pii/tagger/reading.ts'
import type { Example } from './chain-trainer.ts'
import type { Chance } from './chance.ts'
import type { LabelledRow } from './labelled-rows.ts'

const anything = 0x7f
const begins: Record<string, number> = {
  PERSON: labels.personBegins,
  LOCATION: labels.placeBegins,
  ORG: labels.otherBegins,
}

export function createExamples(rows: LabelledRow[], lexicon: Lexicon, mask: number, chance: Chance): Example[] {
  let reading = createReading(1024)
  return rows.map(row => {
    if (row.text.length > reading.capacity) reading = createReading(row.text.length)
    readText(row.text, lexicon, reading)
    forgetNames(reading, chance)
    const { tokens } = reading
    const features = new Int32Array(tokens.count * featureCount)
    const allowed = new Uint8Array(tokens.count)
    const unlabelled = allowedOutside(row)
    for (let at = 0; at < tokens.count; at++) {
      readFeatures(reading, at, mask, features, at * featureCount)
      allowed[at] = allowedAt(row, tokens.start[at]!, tokens.end[at]!, unlabelled)
    }
    return { features, allowed }
  })
}

function allowedOutside(row: LabelledRow): number {
  let allowed = 1 << labels.outside
  for (const [type, label] of Object.entries(begins)) if (!row.types.includes(type)) allowed |= 3 << label
  return allowed
}

function allowedAt(row: LabelledRow, start: number, end: number, unlabelled: number): number {
  for (const span of row.spans) {
    if (end <= span.start || start >= span.end) continue
    const label = begins[span.type]
    if (label !== undefined) return 1 << (start <= span.start ? label : label + 1)
  }
  return row.ignore.some(zone => start < zone.end && end > zone.start) ? anything : unlabelled
}

/** The share of texts in which names are forgotten, and the share of their tokens. */
const [strangeTexts, strangeNames] = [0.4, 0.5]
const names = known.firstName | known.surname | known.place | known.region

/** Removes the lexicon's bits of some names in some texts, so that training also learns from the words around them. */
function forgetNames(reading: TaggerReading, chance: Chance): void {
  if (chance.next() >= strangeTexts) return
  for (let at = 0; at < reading.tokens.count; at++) {
    if (chance.next() < strangeNames) {
      reading.bits[at]! &= ~names
      reading.inPhrase[at] = 0
    }
  }
}
