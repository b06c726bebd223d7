// Which guardrails a project's settings ask for, and the memo of what a guardrail compiles from them.

import { type GuardrailName, guardrails } from '../../domain/guardrails/guardrails.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { ActiveMode } from './guardrail.ts'

const modeFields = Object.values(guardrails).map(({ modeField }) => modeField)

/** The one check that a request of an unguarded project costs. */
export function isGuarded(settings: Settings): boolean {
  return modeFields.some(field => settings[field] !== 'disabled')
}

/** Null where the guardrail is off. */
export function modeOf(name: GuardrailName, settings: Settings): ActiveMode | null {
  const mode = settings[guardrails[name].modeField]
  return mode === 'disabled' ? null : mode
}

/**
 * Compiles a value of the settings once. A tier that overrides something else shares the object with its project, a config
 * of another revision does not.
 */
export function compileOnce<Value extends object, Rules>(compile: (value: Value) => Rules): (value: Value) => Rules {
  const compiled = new WeakMap<Value, Rules>()
  return value => {
    const known = compiled.get(value)
    if (known !== undefined) return known
    const rules = compile(value)
    compiled.set(value, rules)
    return rules
  }
}
