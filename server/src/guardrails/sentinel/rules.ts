// The grammars of the five families: which classes of words, how near to each other, make an attempt, and what beside
// them makes it harmless. Knows no language.
//
// A rule is its anchor's classes and then terms: `a|b<3` a word of one of these classes at most three words before the
// anchor, `>3` after it, `@3` on either side, `!` none of them there.

import type { PatternFamily } from './pattern-families.ts'

/** In this order: a rule may use what one above it has marked. */
export const derivations: readonly (readonly [name: string, rule: string])[] = [
  ['systemprompt', 'prompt system<2 !benign@2'],
  ['systemprompt', 'rules|filter systemprompt<4'],
  ['safeguard', 'filter safety<3'],
  ['safeguard', 'filter restriction<2 safety<4'],
  ['unrestricted', 'restriction not<5'],
  ['unrestricted', 'free not<3'],
  ['unrestricted', 'refuse not<3'],
  ['unrestricted', 'anything answer<3'],
  ['powermode', 'powermode mode>2'],
]

export const familyRules: readonly (readonly [family: PatternFamily, rule: string])[] = [
  ['ignore_previous', 'ignore instructions>8 previous|your|all@9 !benign>3'],
  ['ignore_previous', 'ignore instructions<6 previous|your|all<9'],
  ['ignore_previous', 'ignore rules|orders>6 your|previous>6 all@6 !benign>4'],
  ['ignore_previous', 'ignore orders>4 previous>4'],
  ['ignore_previous', 'ignore everything>3 previous|told>6 !benign>4'],
  ['ignore_previous', 'ignore talk>6 previous>6 all@6 !benign>5'],
  ['ignore_previous', 'ignore above>2 !benign|talk>3'],
  ['ignore_previous', 'drop|override instructions>6 previous|your>7 !benign>4'],
  ['ignore_previous', 'void instructions<8 previous|all|your<10'],
  ['ignore_previous', 'ignore told<8 previous<8'],
  ['override_system_prompt', 'ignore|drop|override|bypass|disable systemprompt>6 !benign>2'],
  ['override_system_prompt', 'void systemprompt<8'],
  ['override_system_prompt', 'outrank systemprompt>5'],
  ['fake_system', 'control grant|role|ignore|you|answer|system|reveal@14 !mention|ask<8'],
  ['fake_system', 'tag grant|ignore|unrestricted|powermode>14 !mention<5'],
  ['fake_system', 'tag nowyou|role>6 !mention<5'],
  ['fake_system', 'opentag mode>2'],
  ['fake_system', 'fence systemprompt|system|instructions|you>4 !mention<6'],
  ['fake_system', 'mode enter<6 powermode<2'],
  ['unrestricted_persona', 'role unrestricted>14 ai@14'],
  ['unrestricted_persona', 'nowyou unrestricted>16'],
  ['unrestricted_persona', 'jailbreak'],
  ['bypass_safety', 'bypass|disable|ignore safeguard>5'],
]
