// Expands templates into training texts: `{slot}` stands for one of its values, `[a|b]` for one of the choices. Many
// wordings of one thought teach the model words that the other texts lack.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Chance, createChance } from '../chance.ts'

export interface TemplateText {
  text: string
  isAttack: boolean
}

/** Slots may hold choices, and choices slots: more passes than this would be an endless circle. */
const maxPasses = 6
/** A template with fewer wordings repeats some, which are given once. */
const textsPerTemplate = 12

/** The files of the folder: `attacks-*.txt` and `benign-*.txt`. The same texts on each run. */
export function expandTemplates(folder: string): TemplateText[] {
  const names = readdirSync(folder).sort()
  return names.flatMap(name => {
    const isAttack = name.startsWith('attacks')
    return expandFile(readFileSync(join(folder, name), 'utf8')).map(text => ({ text, isAttack }))
  })
}

export function expandFile(file: string): string[] {
  const chance = createChance(5)
  const slots = new Map<string, string[]>()
  const texts = new Set<string>()
  for (const line of file.split('\n')) {
    const [, slot, values] = /^([a-z]+) = (.+)$/.exec(line) ?? []
    const [, template] = /^[a-z]+: (.+)$/.exec(line) ?? []
    if (slot !== undefined) slots.set(slot, values!.split(betweenValues))
    else if (line.startsWith('# language')) slots.clear()
    else if (template !== undefined) {
      for (let count = 0; count < textsPerTemplate; count++) texts.add(expand(template, slots, chance))
    } else if (line !== '' && !line.startsWith('#')) throw new Error(`no template: ${line}`)
  }
  return [...texts]
}

/** Not the bars within a choice. */
const betweenValues = /\|(?![^[]*\])/

/** Stand for brackets that are written `\\[` and `\\]`, until the choices are made. */
const opening = '\ue000'
const closing = '\ue001'

function expand(template: string, slots: ReadonlyMap<string, string[]>, chance: Chance): string {
  let text = template.replaceAll('\\[', opening).replaceAll('\\]', closing)
  for (let pass = 0; pass < maxPasses; pass++) {
    text = text
      .replaceAll(/\{([a-z]+)\}/g, (whole, name) => pick(slots.get(name) ?? [whole], chance))
      .replaceAll(/\[([^[\]]*\|[^[\]]*)\]/g, (_whole, choices) => pick(choices.split('|'), chance))
  }
  return text.replaceAll(opening, '[').replaceAll(closing, ']').replaceAll('\\n', '\n').trim()
}

const pick = (values: readonly string[], chance: Chance): string => values[chance.below(values.length)]!
