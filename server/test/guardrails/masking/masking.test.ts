// Values masked in a prompt and restored in an answer that repeats it: back as they were, byte for byte; all else as
// it was.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { type EntityType, entityTypes, type PiiEntities } from '../../../src/domain/settings/settings.ts'
import { AnswerRewriter } from '../../../src/guardrails/answers/answer-rewriter.ts'
import type { Finding } from '../../../src/guardrails/finding.ts'
import { viewJson } from '../../../src/guardrails/masking/json-view.ts'
import { maskHex, maskToken, tokensOf, withoutTokenParts } from '../../../src/guardrails/masking/mask-token.ts'
import { createMinter } from '../../../src/guardrails/masking/minter.ts'
import type { Vault } from '../../../src/guardrails/masking/vault.ts'
import { noMatches, readPiiRules, shield } from '../../../src/guardrails/pii-shield.ts'
import { editText, type Replacement } from '../../../src/guardrails/text-edits.ts'
import { finish, finish as finishWork } from '../../support/finish.ts'
import { roomFor } from '../../support/slowness.ts'
import { type Channel, restorePieces } from './answers.ts'

const key = randomBytes(32)
const view = (text: string) => finish(viewJson(text))
const runs = inject('prove') ? 9_000 : 1_500
const rulesOf = (pii_entities: PiiEntities) => finishWork(readPiiRules({ pii_entities, custom_entities: [] }))
const all = (action: PiiEntities[EntityType]) =>
  rulesOf(Object.fromEntries(entityTypes.map(type => [type, action])) as PiiEntities)

interface Covered {
  provider: string
  memory: string
  vault: Vault | null
}

async function cover(text: string, finds: readonly Finding[], rules = all('MASK'), isCall = false): Promise<Covered> {
  const place = { text, view: isCall ? view(text) : null, finds }
  const types = new Set(finds.map(({ type }) => type))
  const found = { ...noMatches(), types, count: finds.length, [isCall ? 'callArguments' : 'editable']: [place] }
  const texts = { editable: isCall ? [] : [text], callArguments: isCall ? [text] : [], readOnly: [] }
  const { forProvider, forMemory, vault } = await shield(
    { giveKey: () => key, budget: { breathe: () => undefined } },
    rules,
    found,
    texts,
  )
  const kind = isCall ? 'call' : 'text'
  const edited = (replacement: Replacement) => editText(text, replacement[kind](text))
  return { provider: edited(forProvider), memory: edited(forMemory), vault }
}

function restore(vault: Vault | null, text: string, channel: Channel): string {
  return vault === null
    ? text
    : restorePieces(new AnswerRewriter({ vault: vault, textIsJson: false, scanning: null }), channel, [...text])
}

/** Finds in order and without overlaps, anywhere in a text of that length. */
function findsIn(length: number): fc.Arbitrary<Finding[]> {
  const places = fc.uniqueArray(fc.nat(length), { maxLength: 10 })
  return fc.tuple(places, fc.constantFrom(...entityTypes)).map(([at, type]) => {
    const sorted = at.sort((a, b) => a - b)
    const pairs = sorted.flatMap((start, index) => {
      const end = sorted[index + 1]
      return index % 2 === 0 && end !== undefined ? [{ start, end }] : []
    })
    const typeAt = (index: number) => entityTypes[(entityTypes.indexOf(type) + index) % entityTypes.length] ?? type
    return pairs.map((pair, index) => ({ ...pair, type: typeAt(index), score: 1 }))
  })
}

const fragments = [
  '<',
  '>',
  '&lt;',
  '%3C',
  '\\',
  '`',
  'PERSON_',
  '<PERSON_',
  'US SSN ',
  'ü',
  '🙂',
  '\ud83d',
  '\n',
  ' ',
  'a',
]
const words = fc.array(fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 6 })), { maxLength: 15 })
const texts = words.map(parts => parts.join(''))
const withFinds = (source: fc.Arbitrary<string>) =>
  source.chain(text => findsIn(text.length).map(finds => ({ text, finds })))

describe('restore(mask(text))', () => {
  test('is the text, in which nothing but the finds was changed', async () => {
    await fc.assert(
      fc.asyncProperty(withFinds(texts), async ({ text, finds }) => {
        const { provider, memory, vault } = await cover(text, finds)
        expect(restore(vault, provider, 'text')).toBe(text)
        expect(memory).toBe(text)
        const around = new RegExp(finds.map(() => `<[A-Z_]+_[0-9a-f]{12}>`).join('([^]*)') || '$^')
        if (finds.length === 0) expect(provider).toBe(text)
        else expect(provider).toMatch(around)
      }),
      { numRuns: runs },
    )
  })

  test('is the text too where it holds what looks like a token, even the very one', async () => {
    const value = 'Zoe'
    const typed = maskToken('PERSON', maskHex(key, 'PERSON', 'zoe'))
    for (const own of [typed, typed.toLowerCase(), typed.slice(1, -1).replaceAll('_', ' '), `${typed}0`]) {
      const text = `${own} ${value} ${own}`
      const start = own.length + 1
      const { provider, vault } = await cover(text, [{ start, end: start + value.length, type: 'PERSON', score: 1 }])
      expect(provider).not.toContain(value)
      expect(provider.split(own)).toHaveLength(3)
      expect(restore(vault, provider, 'text')).toBe(text)
    }
  })

  test('of arguments says the same as the arguments, and stays JSON in between', async () => {
    const json = fc.jsonValue({
      maxDepth: 4,
      stringUnit: fc.constantFrom('a', '"', '\\', '/', 'ü', '🙂', '\n', '<', ' '),
    })
    const spaced = fc
      .tuple(json, fc.constantFrom(undefined, 1, '\t'), fc.boolean())
      .map(([value, space, isEscaped]) => {
        const text = JSON.stringify(value, null, space)
        return isEscaped
          ? text.replace(/[^\x20-\x7e\n\t]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : text
      })
    const given = spaced.chain(text => findsIn(view(text)?.lines.length ?? 0).map(finds => ({ text, finds })))
    await fc.assert(
      fc.asyncProperty(given, async ({ text, finds }) => {
        const { provider, vault } = await cover(text, finds, all('MASK'), true)
        expect(() => JSON.parse(provider)).not.toThrow()
        // A number comes back as the text of it.
        const asTexts = (_name: string, value: unknown) => (typeof value === 'number' ? String(value) : value)
        const restored = restore(vault, provider, 'arguments')
        expect(JSON.parse(restored, asTexts)).toEqual(JSON.parse(text, asTexts))
      }),
      { numRuns: runs / 3 },
    )
  })
})

describe('arguments', () => {
  const mask = async (text: string, type: EntityType = 'US_SSN') => {
    const lines = view(text)?.lines ?? text
    const finds = [...lines.matchAll(/123-45-6789|123456789/g)].map(({ index, 0: found }) => {
      return { start: index, end: index + found.length, type, score: 1 }
    })
    return (await cover(text, finds, all('REDACT'), true)).provider
  }

  test.each([
    ['{ "ssn" :\t"123-45-6789",\n "n":1.50e1 }', '{ "ssn" :\t"<US_SSN>",\n "n":1.50e1 }'],
    ['{"a":["x 123-45-6789 y"]}', '{"a":["x <US_SSN> y"]}'],
    ['{"a":"\\u00fc\\n\\"123-45-6789\\\\"}', '{"a":"\\u00fc\\n\\"<US_SSN>\\\\"}'],
    ['{"ssn":123456789}', '{"ssn":"<US_SSN>"}'],
    ['"123-45-6789"', '"<US_SSN>"'],
    ['{"123-45-6789":"name"}', '{"123-45-6789":"name"}'],
    ['{"a":"123-45-6789', '{"a":"<US_SSN>'],
    ['ssn 123-45-6789', 'ssn <US_SSN>'],
    ['', ''],
  ])('%s becomes %s', async (before, after) => {
    expect(await mask(before)).toBe(after)
  })

  test('of one long escaped text with a find in each line are covered in one pass', async () => {
    const startedAt = performance.now()
    const before = JSON.stringify({ a: 'ssn 123-45-6789\n'.repeat(20_000) })
    expect(await mask(before)).toBe(JSON.stringify({ a: 'ssn <US_SSN>\n'.repeat(20_000) }))
    // Counted from the text's beginning for each find it is 20 seconds or more.
    expect(performance.now() - startedAt).toBeLessThan(roomFor(5_000))
  })

  test('are read with their names, lists under their own', () => {
    const lines = (value: unknown) => view(JSON.stringify(value))?.lines.trim().split('\n')
    expect(lines({ ssn: '123', on: true, off: null, to: { city: 'Bern' } })).toEqual([
      'ssn: 123',
      'on: ',
      'off: ',
      'to: ',
      'city: Bern',
    ])
    expect(lines({ phones: ['555-0100', '555-0101'], x: ['12345'] })).toEqual([
      'phones: ',
      'phones: 555-0100',
      'phones: 555-0101',
      'x: ',
      'x: 12345',
    ])
    expect(view('{"a":')).toBeNull()
    // A view is a small multiple of its text, whatever the text.
    const long = JSON.stringify({ ['n'.repeat(24)]: Array.from({ length: 10_000 }, () => '12345') })
    expect(view(long)?.lines.length).toBeLessThan(5 * long.length)
  })
})

test('others may run while a long text is searched for tokens that it has itself', async () => {
  const text = `Zoe Roe ${'x '.repeat(500_000)}`
  const place = { text, view: null, finds: [{ start: 0, end: 7, type: 'PERSON' as const, score: 1 }] }
  let breaths = 0
  const breathe = () => {
    breaths++
    return undefined
  }
  const found = { ...noMatches(), types: new Set(['PERSON'] as const), count: 1, editable: [place] }
  const texts = { editable: [text], callArguments: [], readOnly: [] }
  await shield({ giveKey: () => key, budget: { breathe } }, all('MASK'), found, texts)
  expect(breaths).toBeGreaterThan(100)
})

describe('a token', () => {
  const mint = (value: string, type: EntityType = 'PERSON', own: Uint8Array = key) =>
    createMinter(own, new Set()).mint(type, value)

  test('is the same for the same value, however it is spelt', () => {
    expect(mint('Zoe Roe')).toMatch(/^<PERSON_[0-9a-f]{12}>$/)
    expect(mint('zoe  ROE')).toBe(mint('Zoe Roe'))
    expect(mint('4111-1111 1111.1111', 'CREDIT_CARD')).toBe(mint('4111111111111111', 'CREDIT_CARD'))
    expect(mint('Z@Example.com', 'EMAIL_ADDRESS')).toBe(mint('z@example.com', 'EMAIL_ADDRESS'))
    expect(mint('ｚ\u200b@example.com', 'EMAIL_ADDRESS')).toBe(mint('z@example.com', 'EMAIL_ADDRESS'))
    expect(mint('z.b@example.com', 'EMAIL_ADDRESS')).not.toBe(mint('zb@example.com', 'EMAIL_ADDRESS'))
  })

  test('is another one for another value, type or key', () => {
    const hex = (token: string) => token.slice(-13, -1)
    const others = [mint('Zoe Row'), mint('Zoe Roe', 'LOCATION'), mint('Zoe Roe', 'PERSON', randomBytes(32))]
    expect(new Set([mint('Zoe Roe'), ...others].map(hex)).size).toBe(4)
  })

  test('is not shared by two spellings within one request, so that each comes back as it was', () => {
    const minter = createMinter(key, new Set())
    const spellings = ['Zoe Roe', 'ZOE ROE', 'zoe roe', 'Zoe  Roe']
    const tokens = spellings.map(value => minter.mint('PERSON', value))
    expect(new Set(tokens).size).toBe(4)
    expect(tokens[0]).toBe(mint('Zoe Roe'))
    expect(minter.mint('PERSON', 'ZOE ROE')).toBe(tokens[1])
    expect(
      restorePieces(new AnswerRewriter({ vault: minter.vault, textIsJson: false, scanning: null }), 'text', tokens),
    ).toBe(spellings.join(''))
  })

  test('covers no part of another', () => {
    const token = '<PHONE_NUMBER_123456789012>'
    const text = `a ${token} b ${token}${token} c`
    const tokens = tokensOf(['PERSON', 'PHONE_NUMBER'])
    const spansOf = (found: RegExp) =>
      [...text.matchAll(found)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }))
    const outside = spansOf(/[abc]/g)
    const across = [{ start: 0, end: 20 }, ...outside.slice(1)]
    expect(withoutTokenParts(text, outside, tokens)).toEqual(outside)
    expect(withoutTokenParts(text, spansOf(/\d{9}/g), tokens)).toEqual([])
    expect(withoutTokenParts(text, spansOf(/<[^>]+>/g), tokens)).toEqual([])
    expect(withoutTokenParts(text, across, tokens)).toEqual(across)
    expect(withoutTokenParts('PHONE_NUMBER 123456789012', [{ start: 13, end: 25 }], tokens)).toHaveLength(1)
    expect(withoutTokenParts(text, spansOf(/\d{9}/g), tokensOf(['PERSON']))).not.toEqual([])
  })
})

test('each action does its own: mask, redact, and both in memory', async () => {
  const text = 'Zoe, Bern, z@example.com'
  const rules = rulesOf({ PERSON: 'MASK', LOCATION: 'REDACT' })
  const finds: Finding[] = [
    { start: 0, end: 3, type: 'PERSON', score: 1 },
    { start: 5, end: 9, type: 'LOCATION', score: 1 },
  ]
  const { provider, memory, vault } = await cover(text, finds, rules)
  expect(provider).toMatch(/^<PERSON_[0-9a-f]{12}>, <LOCATION>, z@example\.com$/)
  expect(memory).toBe('Zoe, <LOCATION>, z@example.com')
  expect(restore(vault, provider, 'text')).toBe(memory)
  expect((await cover(text, finds, all('REDACT'))).vault).toBeNull()
})
