// What a project's settings ask of the guardrails, compiled once for a revision of them: a request finds it ready. Knows no
// text and no request.

import { createHash } from 'node:crypto'
import type { GuardrailMode, PiiEntities, Settings } from '../../domain/settings/settings.ts'
import { createKnownTexts } from '../../guardrails/known-texts.ts'
import { type PiiRules, readPiiRules } from '../../guardrails/pii-shield.ts'
import { createSentinel, type Sentinel } from '../../guardrails/sentinel/sentinel.ts'

export type ActiveMode = Exclude<GuardrailMode, 'disabled'>

export interface GuardRules {
  /** Null where it is off, or looks for nothing. */
  pii: { mode: ActiveMode; rules: PiiRules } | null
  sentinel: { mode: ActiveMode; sentinel: Sentinel; blocklist: string } | null
}

interface CompiledSentinel {
  sentinel: Sentinel
  blocklist: string
  /** Of its terms: what it takes up grows with them. */
  characters: number
}

/** Five lists as long as can be, or hundreds of usual ones. */
const maxKnownCharacters = 300_000

/** The one question that a request of an unguarded project pays for. */
export function isGuarded({ pii_mode, sentinel_mode }: Settings): boolean {
  return pii_mode !== 'disabled' || sentinel_mode !== 'disabled'
}

export function createRuleBook(): (settings: Settings) => GuardRules {
  // A tier that overrides something else shares these with its project, a config of another revision does not.
  const piiRules = new WeakMap<PiiEntities, PiiRules>()
  const sentinels = new WeakMap<readonly string[], CompiledSentinel>()
  // Whoever reads settings anew for each request, as the playground does, has the same terms in another list.
  const known = createKnownTexts<CompiledSentinel>(maxKnownCharacters, ({ characters }) => characters)

  function findSentinel(terms: readonly string[]): CompiledSentinel {
    const text = JSON.stringify(terms)
    const before = known.find(text, '')
    if (before !== undefined) return before
    const compiled = compileSentinel(terms, text)
    known.keep(text, '', compiled)
    return compiled
  }

  return ({ pii_mode, pii_entities, sentinel_mode, sentinel_blocklist }) => {
    let pii: GuardRules['pii'] = null
    if (pii_mode !== 'disabled') {
      const rules = getOrMake(piiRules, pii_entities, readPiiRules)
      pii = rules.wanted.size === 0 ? null : { mode: pii_mode, rules }
    }
    let sentinel: GuardRules['sentinel'] = null
    if (sentinel_mode !== 'disabled') {
      sentinel = { mode: sentinel_mode, ...getOrMake(sentinels, sentinel_blocklist, findSentinel) }
    }
    return { pii, sentinel }
  }
}

function compileSentinel(terms: readonly string[], text: string): CompiledSentinel {
  const blocklist = createHash('sha256').update(text).digest('base64')
  return { sentinel: createSentinel(terms), blocklist, characters: text.length }
}

function getOrMake<Key extends object, Value>(made: WeakMap<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const known = made.get(key)
  if (known !== undefined) return known
  const value = make(key)
  made.set(key, value)
  return value
}
