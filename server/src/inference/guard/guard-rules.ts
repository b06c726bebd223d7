// Reads from a project's settings how a guardrail works, and caches the rules that it compiles from them.

import { type GuardrailName, guardrails } from '../../domain/guardrails/guardrails.ts'
import type { GuardrailMode, Settings } from '../../domain/settings/settings.ts'
import type { ActiveMode } from './guardrail.ts'

/** Null if the guardrail is off for answers. */
export function answerModeOf(name: GuardrailName, settings: Settings): ActiveMode | null {
  return activeMode(settings[guardrails[name].answerModeField])
}

/** Null if the guardrail is off. */
export function modeOf(name: GuardrailName, settings: Settings): ActiveMode | null {
  return activeMode(settings[guardrails[name].modeField])
}

function activeMode(mode: GuardrailMode): ActiveMode | null {
  return mode === 'disabled' ? null : mode
}

/**
 * Compiles each object of the settings once. A tier that overrides other fields shares the object with its project;
 * a config of another revision has a new object.
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

/** The same for rules that are compiled from two objects. */
export function compilePairOnce<First extends object, Second extends object, Rules>(
  compile: (first: First, second: Second) => Rules,
): (first: First, second: Second) => Rules {
  const compilersOf = compileOnce((first: First) => compileOnce((second: Second) => compile(first, second)))
  return (first, second) => compilersOf(first)(second)
}
