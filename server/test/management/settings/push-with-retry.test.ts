// What is done about a change that the store could not be told: said once, tried again until it works, never in the way
// of others.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '../../../src/kv/store.ts'
import { createRetriedPush } from '../../../src/management/settings/push-with-retry.ts'
import { createMemoryLog } from '../../kv/stores.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  const { log, lines } = createMemoryLog()
  const told: string[] = []
  const say =
    (words: string, works: () => boolean, error: unknown = new StoreUnavailable('away')) =>
    async () => {
      if (!works()) throw error
      told.push(words)
    }
  const events = () => lines.map(({ level, event }) => `${level} ${event}`)
  return { tell: createRetriedPush(log), say, told, events }
}

test('whatever went wrong behind the commit, the caller learns that it did, and it is told again', async () => {
  const { tell, say, told, events } = open()
  let works = false
  const attempts = [
    await tell(
      'a',
      say('a', () => works),
    ),
    await tell(
      'b',
      say('b', () => works, new Error('the database went')),
    ),
    await tell('c', async () => undefined),
  ]
  expect(attempts).toEqual([false, false, true])
  await vi.advanceTimersByTimeAsync(3_000)
  expect(told).toEqual([])
  works = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(told.sort()).toEqual(['a', 'b'])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toHaveLength(2)
  const failed = ['warn store could not be updated', 'error store could not be updated']
  expect(events()).toEqual([...failed, 'info store updated after a retry', 'info store updated after a retry'])
})

test('one that can never be told holds up no other', async () => {
  const { tell, say, told } = open()
  let works = false
  await tell(
    'lost',
    say('lost', () => false),
  )
  await tell(
    'a',
    say('a', () => works),
  )
  works = true
  await vi.advanceTimersByTimeAsync(2_000)
  expect(told).toEqual(['a'])
})

test('of one subject the newest counts: an older one is not told behind it', async () => {
  const { tell, say, told } = open()
  let works = false
  await tell(
    'a',
    say('old', () => works),
  )
  works = true
  await tell(
    'a',
    say('new', () => true),
  )
  await vi.advanceTimersByTimeAsync(3_000)
  expect(told).toEqual(['new'])
})

test('what fails anew while an older one is being told again is not forgotten with it', async () => {
  const { tell, say, told } = open()
  const gate = Promise.withResolvers<void>()
  let isFirst = true
  await tell('a', async () => {
    if (isFirst) {
      isFirst = false
      throw new StoreUnavailable('away')
    }
    await gate.promise
    told.push('old')
  })
  await vi.advanceTimersByTimeAsync(1_000)
  let works = false
  await tell(
    'a',
    say('new', () => works),
  )
  gate.resolve()
  works = true
  await vi.advanceTimersByTimeAsync(3_000)
  expect(told).toEqual(['old', 'new'])
})
