// Tests that collecting and scanning the texts of a request lets others run at least once for each thousand items,
// whatever the items are: counts what is read between two yields, so that the machine's speed does not matter.
import { expect, test } from 'vitest'
import type { AssistantMessage, Message, Part } from '../../src/domain/conversation/prompt.ts'
import type { JsonObject } from '../../src/domain/json-object.ts'
import { createKnownTexts } from '../../src/guardrails/known-texts.ts'
import { viewJson } from '../../src/guardrails/masking/json-view.ts'
import { noMatches, readPiiRules, scanTexts } from '../../src/guardrails/pii-shield.ts'
import { textsOf } from '../../src/guardrails/prompt-texts.ts'
import { createSentinel, type SentinelVerdict } from '../../src/guardrails/sentinel/sentinel.ts'
import { collectRuns, type TextRun, textsOfRun } from '../../src/guardrails/sentinel/text-runs.ts'
import { watchRuns } from '../../src/guardrails/sentinel-watch.ts'
import { createWorkBudget } from '../../src/guardrails/work-budget.ts'
import { promptOf } from '../inference/guard/open-guard.ts'
import { finish } from '../support/finish.ts'

const items = 50_000
const maxItemsPerYield = 1_000
const maxCharactersPerYield = 8_192

const list = <Item>(make: (index: number) => Item): Item[] => Array.from({ length: items }, (_, index) => make(index))

let reads = 0
/** The same object, whose field counts how often it is read. */
function counted<Value extends object>(value: Value, field: keyof Value): Value {
  const known = value[field]
  const get = () => {
    reads++
    return known
  }
  return Object.defineProperty(value, field, { enumerable: true, get })
}

const user = (content: string | Part[]): Message => ({ role: 'user', content })
const assistant = (more: Partial<AssistantMessage>): Message => ({
  role: 'assistant',
  content: null,
  toolCalls: [],
  reasoningDetails: [],
  ...more,
})
const other = (value: JsonObject): Part => ({ type: 'other', kind: 'x', value })

const ofAll: Record<string, () => Message[]> = {
  messages: () => list(() => counted(user('Moo.'), 'content')),
  'text parts': () => [user(list(() => counted({ type: 'text', text: 'Moo.' }, 'text')))],
  images: () => [user(list(() => counted({ type: 'image', url: 'https://a.test/' }, 'url')))],
  files: () => [user(list(() => counted({ type: 'file', fileId: 'a' }, 'fileId')))],
  'unknown parts': () => [user(list(() => other(counted({ a: 1 }, 'a'))))],
  'unknown parts with text': () => [user(list(() => other(counted({ text: 'Moo.' }, 'text'))))],
  'members of an unknown part': () => [user([other({ a: list(() => counted({ b: 1 }, 'b')) })])],
  'results of tools': () => list(() => counted({ role: 'tool', toolCallId: 'a', content: 'Moo.' }, 'content')),
}
const ofAnswers: typeof ofAll = {
  calls: () => [assistant({ toolCalls: list(() => counted({ id: 'a', name: 'f', arguments: '{}' }, 'arguments')) })],
  'reasoning details': () => [
    assistant({ reasoningDetails: list(() => counted({ type: 'reasoning.text', text: 'Moo.' }, 'text')) }),
  ],
}

/** The most reads between two yields. */
function maxReads(work: Iterator<void, unknown>): number {
  let max = 0
  for (let isDone = false; !isDone; max = Math.max(max, reads)) {
    reads = 0
    isDone = work.next().done === true
  }
  return max
}

/** A field may be read more than once for each item. */
const maxReadsPerYield = 4 * maxItemsPerYield

function countYields(work: Iterator<void, unknown>): number {
  let yields = 0
  while (!work.next().done) yields++
  return yields
}

test.each(Object.entries({ ...ofAll, ...ofAnswers }))('PII Shield collects %s', (_name, make) => {
  const max = maxReads(textsOf(promptOf(make())))
  expect(max).toBeGreaterThan(0)
  expect(max).toBeLessThan(maxReadsPerYield)
})

test.each(Object.entries(ofAll))('Sentinel collects %s', (_name, make) => {
  const max = maxReads(collectRuns(make(), 'user_and_tools'))
  expect(max).toBeGreaterThan(0)
  expect(max).toBeLessThan(maxReadsPerYield)
})

test('Sentinel joins parts', () => {
  const said = list(() => 'Moo.')
  const minYields = items / maxItemsPerYield
  // Each part is read for JSON too; these yields do not count.
  const isRead = items
  expect(countYields(textsOfRun({ parts: said, otherTexts: [] }))).toBeGreaterThan(isRead + minYields)
})

const json: Record<string, string> = {
  'an object of many names': JSON.stringify(Object.fromEntries(list(index => [`name${index}`, `v${index}`]))),
  'a list of short strings': JSON.stringify(list(() => 'a')),
  'a list of numbers': JSON.stringify(list(index => index * 1_000_003)),
  'lists in lists': '['.repeat(items) + ']'.repeat(items),
}

test.each(Object.entries(json))('JSON is read in slices: %s', (_name, text) => {
  const minYields = text.length / maxCharactersPerYield
  expect(countYields(viewJson(text))).toBeGreaterThan(minYields)
  expect(countYields(textsOfRun({ parts: [text], otherTexts: [] }))).toBeGreaterThan(minYields)
})

function createCountingBudget() {
  const budget = createWorkBudget(1e12)
  const counting = {
    breaths: 0,
    spend: budget.spend,
    get spent() {
      return budget.spent
    },
    breathe() {
      counting.breaths++
      return undefined
    },
  }
  return counting
}

const wholeSentence = 'The cows of Pamplona say moo.'
const cached = 2_000

test('PII Shield lets others run after each cached text', async () => {
  const budget = createCountingBudget()
  let reused = 0
  const known = createKnownTexts<[]>(10, () => 0)
  const dependencies = { known, owner: 'a', budget, onReuse: () => void reused++, recognition: null }
  const said = Array.from({ length: cached }, () => wholeSentence)
  await scanTexts(
    dependencies,
    finish(readPiiRules({ pii_entities: { PERSON: 'MASK' }, custom_entities: [] })),
    { editable: said, callArguments: [], readOnly: [] },
    noMatches(),
  )
  expect(reused).toBe(cached - 1)
  expect(budget.breaths).toBeGreaterThanOrEqual(cached)
})

test('Sentinel lets others run after each cached verdict, and while it names a run of many parts', async () => {
  const sentinel = createSentinel([])
  const watch = async (runs: readonly TextRun[]) => {
    const budget = createCountingBudget()
    let reused = 0
    const known = createKnownTexts<SentinelVerdict>(10, () => 0)
    await watchRuns({ known, owner: 'a', budget, onReuse: () => void reused++ }, sentinel, runs, 0.8)
    return { reused, breaths: budget.breaths }
  }
  const run: TextRun = { source: 'user', parts: [wholeSentence], otherTexts: [] }
  const { reused, breaths } = await watch(Array.from({ length: cached }, () => run))
  expect(reused).toBe(cached - 1)
  expect(breaths).toBeGreaterThanOrEqual(cached)
  const parts: TextRun = { source: 'document', parts: [], otherTexts: list(() => 'Moo.') }
  const [first, again] = [await watch([parts]), await watch([parts, parts])]
  expect(again.reused).toBe(1)
  expect(again.breaths - first.breaths).toBeGreaterThan(items / maxItemsPerYield)
})

test('a run that is cut elsewhere is another run', async () => {
  const sentinel = createSentinel(['wild plum'])
  const known = createKnownTexts<SentinelVerdict>(100, () => 0)
  const termsOf = async (...said: string[]) => {
    const runs: TextRun[] = [{ source: 'user', parts: said, otherTexts: [] }]
    const dependencies = { known, owner: 'a', budget: createWorkBudget(1e6), onReuse: () => undefined }
    return (await watchRuns(dependencies, sentinel, runs, 0.8)).terms
  }
  expect(await termsOf('a wild', 'plum tree is here')).toBe(1)
  expect(await termsOf('a wildplum', ' tree is here')).toBe(0)
  expect(await termsOf('a wild', 'plum tree is here')).toBe(1)
  expect(finish(collectRuns([user('a'), user('b')], 'user'))).toHaveLength(1)
})
