// What a project's settings ask of the guardrails, compiled once for a revision of them: a request finds it ready. Knows no
// text and no request.

import { createHash } from 'node:crypto'
import type { GuardrailMode, PiiEntities, Settings } from '../domain/settings.ts'
import { type PiiRules, readPiiRules } from '../guardrails/pii-shield.ts'
import { createSentinel, type Sentinel } from '../guardrails/sentinel/sentinel.ts'

export type ActiveMode = Exclude<GuardrailMode, 'disabled'>

export interface GuardRules {
  /** Null where it is off, or looks for nothing. */
  pii: { mode: ActiveMode; rules: PiiRules } | null
  sentinel: { mode: ActiveMode; sentinel: Sentinel; blocklist: string } | null
}

/** The one question that a request of an unguarded project pays for. */
export function isGuarded({ pii_mode, sentinel_mode }: Settings): boolean {
  return pii_mode !== 'disabled' || sentinel_mode !== 'disabled'
}

export function createRuleBook(): (settings: Settings) => GuardRules {
  // A tier that overrides something else shares these with its project, a config of another revision does not.
  const piiRules = new WeakMap<PiiEntities, PiiRules>()
  const sentinels = new WeakMap<readonly string[], { sentinel: Sentinel; blocklist: string }>()

  return ({ pii_mode, pii_entities, sentinel_mode, sentinel_blocklist }) => {
    let pii: GuardRules['pii'] = null
    if (pii_mode !== 'disabled') {
      const rules = getOrMake(piiRules, pii_entities, readPiiRules)
      pii = rules.wanted.size === 0 ? null : { mode: pii_mode, rules }
    }
    let sentinel: GuardRules['sentinel'] = null
    if (sentinel_mode !== 'disabled') {
      sentinel = { mode: sentinel_mode, ...getOrMake(sentinels, sentinel_blocklist, compileSentinel) }
    }
    return { pii, sentinel }
  }
}

function compileSentinel(terms: readonly string[]) {
  const blocklist = createHash('sha256').update(JSON.stringify(terms)).digest('base64')
  return { sentinel: createSentinel(terms), blocklist }
}

function getOrMake<Key extends object, Value>(made: WeakMap<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const known = made.get(key)
  if (known !== undefined) return known
  const value = make(key)
  made.set(key, value)
  return value
}
