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
  ['safeguard', 'filter safety@3 !benign@2'],
  ['unrestricted', 'restriction not<5'],
  ['unrestricted', 'restriction lacking|void>3'],
  ['unrestricted', 'free not<3'],
  ['unrestricted', 'refuse not<3'],
  ['unrestricted', 'anything answer<3'],
  ['powermode', 'powermode mode@2'],
]

export const familyRules: readonly (readonly [family: PatternFamily, rule: string])[] = [
  ['ignore_previous', 'ignore instructions>8 previous|your|all@9 !benign>3 !negation<2'],
  ['ignore_previous', 'ignore instructions<6 previous|your|all<9'],
  ['ignore_previous', 'ignore rules|orders>6 your|previous>6 all@6 !benign>4'],
  ['ignore_previous', 'ignore orders>4 previous>4'],
  ['ignore_previous', 'ignore orders<4 previous<6'],
  ['ignore_previous', 'ignore everything>3 previous|told>6 !benign>4'],
  ['ignore_previous', 'ignore everything<5 previous|told<7'],
  ['ignore_previous', 'ignore everything>1 answer|nowyou>3'],
  ['ignore_previous', 'ignore talk>6 previous>6 all@6 !benign>5'],
  ['ignore_previous', 'ignore talk>2 previous>5 !benign>5'],
  ['ignore_previous', 'ignore above>2 !benign|talk>3'],
  ['ignore_previous', 'drop|override instructions>6 previous|your>7 !benign>4'],
  ['ignore_previous', 'void instructions<8 previous|all|your<10'],
  ['ignore_previous', 'void orders<8 previous<10 nowyou|answer@12'],
  ['ignore_previous', 'ignore told<8 previous<8'],
  ['ignore_previous', 'outrank instructions<4 previous>5 new<6'],
  ['override_system_prompt', 'ignore|drop|override|bypass|disable systemprompt>6 !benign>2'],
  ['override_system_prompt', 'ignore|drop|override|bypass|disable systemprompt<4 !benign<2'],
  ['override_system_prompt', 'void systemprompt@8'],
  ['override_system_prompt', 'outrank systemprompt>5'],
  ['override_system_prompt', 'new systemprompt>1 you|answer>8'],
  ['fake_system', 'control grant|role|ignore|you|answer|system|reveal@14 !mention|ask<8'],
  ['fake_system', 'tag grant|ignore|unrestricted|powermode>14 !mention<5'],
  ['fake_system', 'tag nowyou|role>6 !mention<5'],
  ['fake_system', 'opentag mode>2'],
  ['fake_system', 'fence systemprompt|system|instructions|you>4 !mention<6'],
  ['fake_system', 'mode enter<6 powermode@2'],
  ['fake_system', 'mode enter>6 powermode@2'],
  ['fake_system', 'claim grant|reveal|mode|anything>16'],
  ['unrestricted_persona', 'role unrestricted>14 ai|you@14'],
  ['unrestricted_persona', 'nowyou unrestricted>16'],
  ['unrestricted_persona', 'unrestricted unrestricted|illegal>6 ai|role|answer@16'],
  ['unrestricted_persona', 'unrestricted ai>3'],
  ['unrestricted_persona', 'character unrestricted@20'],
  ['unrestricted_persona', 'jailbreak'],
  ['bypass_safety', 'bypass|disable|ignore safeguard>5 !negation<2'],
  ['bypass_safety', 'bypass|disable|ignore safeguard<4'],
  ['bypass_safety', 'void safeguard<4 your<8'],
  ['bypass_safety', 'bypass|disable your>3 filter|restriction>6 !benign>6'],
  ['bypass_safety', 'bypass|disable filter>3 safety|refuse@8 your@8'],
  ['bypass_safety', 'answer not>3 safeguard>6'],
]
