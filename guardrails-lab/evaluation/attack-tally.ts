// Counts the attacks that Sentinel detects and its false positives on harmless texts: in total and by source, family,
// technique and language.

import { patternFamilies } from '../../server/src/guardrails/sentinel/pattern-families.ts'
import type { AttackRecord } from './labelled-records.ts'

export interface Share {
  hits: number
  of: number
}

export interface AttackTally {
  attacks: Share
  /** Attacks that are labelled with a family. */
  inScope: Share
  /** Hits here are false positives; quotes are counted separately. */
  benign: Share
  hard: Share
  quotes: Share
  bySource: Map<string, { attacks: Share; inScope: Share; benign: Share; quotes: Share }>
  /** By family, then by source. Only sources whose families were labelled by hand, and `all`. */
  byFamily: Map<string, Map<string, Share>>
  byTechnique: Map<string, Share>
  byLanguage: Map<string, Share>
}

const none = (): Share => ({ hits: 0, of: 0 })

export function createAttackTally(): AttackTally {
  return {
    attacks: none(),
    inScope: none(),
    benign: none(),
    hard: none(),
    quotes: none(),
    bySource: new Map(),
    byFamily: new Map(patternFamilies.map(family => [family, new Map()])),
    byTechnique: new Map(),
    byLanguage: new Map(),
  }
}

export function countAttack(tally: AttackTally, record: AttackRecord, isHit: boolean): void {
  const source = getOr(tally.bySource, record.source, () => ({
    attacks: none(),
    inScope: none(),
    benign: none(),
    quotes: none(),
  }))
  const add = (...shares: Share[]) => {
    for (const share of shares) {
      share.of += 1
      if (isHit) share.hits += 1
    }
  }
  if (record.kind === 'benign') {
    if (record.isQuote) add(tally.quotes, source.quotes)
    else add(tally.benign, source.benign, ...(record.isHard ? [tally.hard] : []))
    return
  }
  add(tally.attacks, source.attacks)
  const [family] = record.families
  if (family !== undefined) {
    const families = getOr(tally.byFamily, family, () => new Map<string, Share>())
    add(tally.inScope, source.inScope, getOr(families, 'all', none))
    if (record.isByHand) add(getOr(families, record.source, none))
  }
  if (record.technique !== null) add(getOr(tally.byTechnique, record.technique, none))
  if (record.language !== null) add(getOr(tally.byLanguage, record.language, none))
}

function getOr<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}
