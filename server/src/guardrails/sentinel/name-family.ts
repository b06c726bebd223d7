// Names the family of an attack that only the model found: that whose words occur most often in the window.

import type { Window } from './model/windows.ts'
import { type PatternFamily, patternFamilies } from './pattern-families.ts'
import type { KnownWords } from './read-words.ts'
import { maskOf } from './word-classes.ts'

const marks: Record<PatternFamily, ReturnType<typeof maskOf>> = {
  fake_system: maskOf(['control', 'tag', 'opentag', 'fence', 'claim']),
  override_system_prompt: maskOf(['systemprompt']),
  unrestricted_persona: maskOf(['role', 'character', 'jailbreak', 'unrestricted', 'nowyou']),
  bypass_safety: maskOf(['safety', 'filter', 'safeguard', 'bypass', 'disable', 'refuse']),
  ignore_previous: maskOf(['ignore', 'drop', 'previous', 'instructions']),
}

/** If no family has the most words: the most general one. */
export function nameFamily({ count, starts, low, high }: KnownWords, { start, end }: Window): PatternFamily {
  let named: PatternFamily = 'ignore_previous'
  let most = 0
  for (const family of patternFamilies) {
    const mark = marks[family]
    let marked = 0
    for (let index = 0; index < count; index++) {
      if (starts[index]! < start || starts[index]! >= end) continue
      if (((low[index]! & mark.low) | (high[index]! & mark.high)) !== 0) marked++
    }
    if (marked > most) [named, most] = [family, marked]
  }
  return named
}
