// The slow hash: its parameters, its answers, and how many run, wait and are refused at once.
import { parseOptions } from '@node-rs/argon2'
import { describe, expect, test } from 'vitest'
import { createConcurrencyGate } from '../../../src/crypto/concurrency-gate.ts'
import { createPasswordHasher } from '../../../src/crypto/secrets/password.ts'
import { Refusal } from '../../../src/domain/errors.ts'

const hasher = createPasswordHasher({ concurrency: 2 })
const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : error)

describe('hash and verify', () => {
  test('the right password passes, another does not, and a salt makes each hash another', async () => {
    const [one, other] = await Promise.all([hasher.hash('correct horse battery'), hasher.hash('correct horse battery')])
    expect(one).not.toBe(other)
    expect(await hasher.verify(one, 'correct horse battery')).toBe(true)
    expect(await hasher.verify(one, 'correct horse batterz')).toBe(false)
    expect(await hasher.verify(one, '')).toBe(false)
  })

  test('hashes are Argon2id with 19 MiB, two passes, one lane', async () => {
    const hash = await hasher.hash('correct horse battery')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(parseOptions(hash)).toMatchObject({
      memoryCost: 19_456,
      timeCost: 2,
      parallelism: 1,
      saltLen: 16,
      outputLen: 32,
    })
  })

  test('a letter composed in another way is the same letter', async () => {
    expect(await hasher.verify(await hasher.hash('gar\u00e7on-du-caf\u00e9'), 'garc\u0327on-du-cafe\u0301')).toBe(true)
  })

  test('a stored text that is no hash is a fault, not a wrong password', async () => {
    await expect(hasher.verify('not a hash', 'password')).rejects.toThrow()
  })

  test('verifying against nothing costs what a verification costs', async () => {
    const hash = await hasher.hash('correct horse battery')
    const timeOf = async (run: () => Promise<boolean>) => {
      const start = performance.now()
      expect(await run()).toBe(false)
      return performance.now() - start
    }
    const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!
    const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
    // In turns, so that a busy machine is busy for both.
    for (let i = 0; i < 21; i++) {
      times.known.push(await timeOf(() => hasher.verify(hash, 'wrong')))
      times.unknown.push(await timeOf(() => hasher.verifyAgainstNothing('wrong')))
    }
    const [known, unknown] = [median(times.known), median(times.unknown)]
    expect(unknown / known).toBeGreaterThan(0.5)
    expect(unknown / known).toBeLessThan(2)
  })
})

describe('the gate', () => {
  test('never lets in more than its cap, starts those who wait in order, and refuses beyond the queue', async () => {
    const runGated = createConcurrencyGate({ concurrency: 3, queue: 64 })
    const started: number[] = []
    let running = 0
    let most = 0
    const job = (number: number) => async () => {
      started.push(number)
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 1))
      running--
      return number
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, number) => runGated(job(number))))
    expect(most).toBe(3)
    expect(started).toEqual(Array.from({ length: 67 }, (_, number) => number))
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => codeOf(reason))).toEqual(Array.from({ length: 33 }, () => 'busy'))
  })

  test('keeps its cap while callers come and go', async () => {
    const runGated = createConcurrencyGate({ concurrency: 2, queue: 64 })
    let running = 0
    let most = 0
    const comeAgain = async (caller: number) => {
      for (let round = 0; round < 10; round++) {
        await runGated(async () => {
          most = Math.max(most, ++running)
          await new Promise(resolve => setTimeout(resolve, (caller + round) % 3))
          running--
        })
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, caller) => comeAgain(caller)))
    expect([running, most]).toEqual([0, 2])
  })

  test('a job that fails gives its place back', async () => {
    const runGated = createConcurrencyGate({ concurrency: 1, queue: 1 })
    for (let i = 0; i < 5; i++)
      await expect(runGated(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await expect(runGated(async () => 'works')).resolves.toBe('works')
  })

  test('a newcomer does not overtake the one who waits', async () => {
    const runGated = createConcurrencyGate({ concurrency: 1, queue: 8 })
    const order: string[] = []
    const first = runGated(async () => {
      order.push('first')
    }).then(() => runGated(async () => void order.push('newcomer')))
    const waiting = runGated(async () => void order.push('waiting'))
    await Promise.all([first, waiting])
    expect(order).toEqual(['first', 'waiting', 'newcomer'])
  })
})

test('real hashes beyond two at once and 64 in the queue are refused as busy', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => hasher.verifyAgainstNothing('x')))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(66)
  const refused = outcomes.filter(outcome => outcome.status === 'rejected')
  expect(refused.map(({ reason }) => codeOf(reason))).toEqual(['busy', 'busy', 'busy', 'busy'])
})
