// The types of a project: words, checksums, context, and their place among the built-in types.
import { describe, expect, test } from 'vitest'
import type { CustomEntity } from '../../../../src/domain/settings/custom-entities.ts'
import { compileCustomTypes } from '../../../../src/guardrails/pii/custom/custom-types.ts'
import { findEntities } from '../../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget, WorkBudgetExceeded } from '../../../../src/guardrails/work-budget.ts'
import { finish } from '../../../support/finish.ts'
import { pem } from '../made-up-secrets.ts'

async function find(text: string, entities: CustomEntity[], ...builtIn: string[]): Promise<string[]> {
  const wanted = new Set([...builtIn, ...entities.map(({ name }) => name)])
  const finds = await findEntities(text, wanted, createWorkBudget(1e9), finish(compileCustomTypes(entities)))
  return finds.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`)
}

const listed = (...words: string[]): CustomEntity[] => [{ name: 'PROJECT', words }]

describe('words', () => {
  test.each([
    ['The blue heron flew. BLUE HERON!', ['Blue Heron'], ['blue heron', 'BLUE HERON']],
    ['concatenate cat cats cat', ['cat'], ['cat', 'cat']],
    ['c++ and C++x', ['c++'], ['c++', 'C++']],
    ['ab abc abcd', ['ab', 'abc'], ['ab', 'abc']],
    ['Über den ÜBER', ['über'], ['Über', 'ÜBER']],
    ['田中さんと山田', ['田中'], ['田中']],
    ['İstanbul ve heron', ['heron'], ['heron']],
    ['a.b a.b', ['a.b a.b'], ['a.b a.b']],
  ])('%s', async (text, words, found) => {
    expect(await find(text, listed(...words))).toEqual(found.map(value => `PROJECT ${value}`))
  })

  test('are found wherever the text is cut', async () => {
    const word = 'heron '.repeat(16).trim()
    for (let before = 3_950; before < 4_110; before++) {
      expect(await find(`${'.'.repeat(before)}${word}${'.'.repeat(5_000)}`, listed(word))).toHaveLength(1)
    }
  })

  test('of a list that all begin alike take work from the budget', async () => {
    const words = Array.from({ length: 1_000 }, (_, at) => `aa${at} heron`)
    const custom = finish(compileCustomTypes(listed(...words)))
    const text = 'aa '.repeat(10_000)
    const scan = findEntities(text, new Set(['PROJECT']), createWorkBudget(1_000_000 + 40 * text.length), custom)
    await expect(scan).rejects.toThrow(WorkBudgetExceeded)
  })
})

describe('checksums', () => {
  const numbers = (checksum: 'luhn' | 'mod97'): CustomEntity[] => [
    { name: 'NUMBER', patterns: ['\\b[0-9A-Z][0-9A-Z -]{5,40}[0-9A-Z]\\b'], checksum },
  ]

  test.each([
    ['luhn', '7992739871-3', true],
    ['luhn', '7992739871-4', false],
    ['mod97', '5493001KJTIIGC8Y1R12', true],
    ['mod97', '5493001KJTIIGC8Y1R13', false],
    ['mod97', 'DE89 3704 0044 0532 0130 00', true],
    ['mod97', 'DE88 3704 0044 0532 0130 00', false],
  ] as const)('%s of %s: %s', async (checksum, value, isFound) => {
    expect(await find(`(${value})`, numbers(checksum))).toEqual(isFound ? [`NUMBER ${value}`] : [])
  })
})

describe('context', () => {
  const badge: CustomEntity[] = [{ name: 'BADGE', patterns: ['\\b\\d{6}\\b'], context: ['badge', 'Ausweis-Nr'] }]

  test.each([
    ['badge 123456', true],
    ['123456 is my BADGE', true],
    ['ausweis-nr: 123456', true],
    ['badger 123456', false],
    ['order 123456', false],
    [`badge${' '.repeat(94)} 123456`, true],
    [`badge${' '.repeat(95)} 123456`, false],
    [`123456${' '.repeat(46)}badge`, false],
  ])('%.30s: %s', async (text, isFound) => {
    expect(await find(text, badge)).toEqual(isFound ? ['BADGE 123456'] : [])
  })
})

test('matches that their context rejects take work from the budget', async () => {
  const custom = finish(compileCustomTypes([{ name: 'ANY', patterns: ['.{1,200}'], context: ['never'] }]))
  const text = 'a'.repeat(10_000)
  const scan = findEntities(text, new Set(['ANY']), createWorkBudget(1_000_000 + 40 * text.length), custom)
  await expect(scan).rejects.toThrow(WorkBudgetExceeded)
})

test('win over built-in types, and only wanted ones count', async () => {
  const entities: CustomEntity[] = [{ name: 'STAFF_MAIL', patterns: ['[a-z]+@corp\\.example'] }]
  const text = 'zoe@corp.example, ann@else.example'
  expect(await find(text, entities, 'EMAIL_ADDRESS')).toEqual([
    'STAFF_MAIL zoe@corp.example',
    'EMAIL_ADDRESS ann@else.example',
  ])
  const custom = finish(compileCustomTypes(entities))
  expect(await findEntities(text, new Set(['PERSON']), createWorkBudget(1e9), custom)).toEqual([])
})

test('a part of a credential that an own type matches does not leave the rest of it to be read', async () => {
  const key = pem('PRIVATE KEY')
  const password = 'Tr0ub4dor-4711x'
  const text = `Take ${key} and password: ${password}, or 4711.`
  const types = [{ name: 'DIGITS', patterns: ['\\d{4}', '[A-Z]{3}'] }]
  expect(await find(text, types, 'CREDENTIAL')).toEqual([`CREDENTIAL ${key}`, `CREDENTIAL ${password}`, 'DIGITS 4711'])
  // A longer match of an own type has the whole of it.
  const longer = [{ name: 'LOGIN', patterns: ['password: \\S{8,30}'] }]
  expect(await find(`The password: ${password} works`, longer, 'CREDENTIAL')).toEqual([`LOGIN password: ${password}`])
})
