// What texts cost that were made to cost much: the work grows with the length and not faster, and counts what is done.
import { describe, expect, test } from 'vitest'
import { createSentinel } from '../../../src/guardrails/sentinel/sentinel.ts'
import { createWorkBudget, WorkBudgetExceeded } from '../../../src/guardrails/work-budget.ts'
import { said } from './said.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const pieces: Record<string, string> = {
  'one trigger': 'ignore ',
  'triggers of all classes': 'act pretend ai no rules follow put aside bypass system turn off ',
  'triggers just out of reach': 'previous instructions a b c d e f g h i j k l m n o p q r s t. ignore. ',
  'begun phrases': 'do not do not ',
  'misspelt triggers': 'igonre prevoius instrcutions ',
  'unknown long words': 'abcdefghijklmnop ',
  'a word without end': 'a',
  'glued triggers': 'ignoreallprevious',
  'nested base64': base64(base64('the quick brown fox jumps over it. ')),
  'base64 that is none': 'QmFzZTY0IGxvb2tz/+x9',
  'nested percents': '%2569%2567',
  entities: '&#105;&#x67;',
  'half entities': '&#12345',
  'half percents': '%2',
  'half escapes': '\\u00',
  'pairs in hex': '69 67 6e ',
  'broken pairs in hex': '69 67 6e 6f 72 6 ',
  'look-alikes': 'аеорсху ',
  'zero-width characters': 'i\u200bg\u200b',
  'combining marks': '\u0301',
  'tag characters': '\u{e0069}',
  'ligatures of sentences': '\ufdfa',
  'squared words': '\u3357',
  overrides: '\u202e',
  'spaced letters': 'a b ',
  dots: 'i.g.',
  tags: 'a<b',
  leet: '1gn0r3 4ll ',
  rot13: 'vtaber nyy cerivbhf ',
  'unspaced letters': '忽略之前的所有',
  markers: 'system: ',
  fences: '--- begin ',
  'all at once':
    '1gn0r3 i g n o r e &#105; %69 \\u0069 <b>a</b> аll aGVsbG8gd29ybGQgaXMgZmluZQ== \u200b igonre backwards rot13 ',
}

const sentinel = createSentinel(['ignore all', 'aaaaaaaab', 'system override'])

async function stepsFor(piece: string, length: number): Promise<number> {
  const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
  const budget = createWorkBudget(Number.MAX_SAFE_INTEGER)
  await sentinel.scan(said(text), budget)
  return budget.spent
}

test.each(Object.entries(pieces))('twice as much of %s is at most twice the work', async (_name, piece) => {
  const [short, long] = [32_768, 65_536]
  await stepsFor(piece, short)
  const before = process.cpuUsage()
  const [first, second] = [await stepsFor(piece, short), await stepsFor(piece, long)]
  const { user, system } = process.cpuUsage(before)
  expect(second / first).toBeLessThan(2.2)
  expect(first).toBeGreaterThan(short * 3.5)
  expect(second).toBeLessThan(long * 40)
  expect((user + system) / 1_000).toBeLessThan(900)
})

describe('the budget', () => {
  test.each(['word ', '%2569', 'i g n o r e  '])('stops a text of %j', async piece => {
    const scan = sentinel.scan(said(piece.repeat(10_000)), createWorkBudget(20_000))
    await expect(scan).rejects.toThrow(WorkBudgetExceeded)
  })

  test('lets others run between the slices of a long text', async () => {
    let breaths = 0
    const budget = createWorkBudget(Number.MAX_SAFE_INTEGER)
    const counting = {
      spend: budget.spend,
      get spent() {
        return budget.spent
      },
      breathe() {
        breaths++
        return budget.breathe()
      },
    }
    await sentinel.scan(said('word '.repeat(20_000)), counting)
    expect(breaths).toBeGreaterThan(100_000 / 8_192)
  })

  test('counts every run and every piece, so that many small ones cost too', async () => {
    const runs = Array.from({ length: 5_000 }, () => ({ parts: [], otherTexts: [] }))
    await expect(sentinel.scan(runs, createWorkBudget(1_000))).rejects.toThrow(WorkBudgetExceeded)
    const pieces = Array.from({ length: 5_000 }, () => '')
    await expect(sentinel.scan(said(...pieces), createWorkBudget(4_000))).rejects.toThrow(WorkBudgetExceeded)
  })
})

describe('terms that are ends of each other', () => {
  const nested = (unit: string) => createSentinel(Array.from({ length: 200 }, (_, index) => unit.repeat(index + 1)))
  const spent = async (own: ReturnType<typeof createSentinel>, text: string) => {
    const budget = createWorkBudget(Number.MAX_SAFE_INTEGER)
    const { terms } = await own.scan(said(text), budget)
    return { terms, perCharacter: budget.spent / text.length }
  }

  test('are looked at only where a word ends', async () => {
    const { terms, perCharacter } = await spent(nested('a'), 'a'.repeat(30_000))
    expect(terms).toBe(0)
    expect(perCharacter).toBeLessThan(40)
    expect(await spent(nested('a'), `${'a'.repeat(150)} b`)).toMatchObject({ terms: 1 })
  })

  test('cost the request what they cost the process', async () => {
    const plain = await spent(createSentinel(['x']), '-'.repeat(30_000))
    const { terms, perCharacter } = await spent(nested('-'), '-'.repeat(30_000))
    expect(terms).toBe(200)
    expect(perCharacter).toBeGreaterThan(plain.perCharacter + 190)
    const scan = nested('-').scan(said('-'.repeat(30_000)), createWorkBudget(1_000_000))
    await expect(scan).rejects.toThrow(WorkBudgetExceeded)
  })

  test('are all found', async () => {
    expect(await spent(createSentinel(['c', 'b c', 'a b c', 'd b c']), 'x a b c')).toMatchObject({ terms: 3 })
  })
})
