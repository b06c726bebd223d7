// What a text has written as tokens itself, so that none of these is minted: found in whatever a client sends, a little
// at a time.
import { describe, expect, test } from 'vitest'
import { hexesWrittenIn } from '../../../src/guardrails/masking/mask-token.ts'
import { finish } from '../../support/finish.ts'

describe('finding what the text itself has written as tokens', () => {
  const find = (...texts: string[]) => [...finish(hexesWrittenIn(texts))].sort()

  test('takes each form that is restored, also where a long text is cut', () => {
    expect(find('<PERSON_0123456789ab>', 'us ssn-aaaaaaaaaaaa and PHONE\\_NUMBER\\_bbbbbbbbbbbb')).toEqual([
      '0123456789ab',
      'aaaaaaaaaaaa',
      'bbbbbbbbbbbb',
    ])
    for (let before = 8_000; before < 9_000; before++) {
      expect(find(`${'x'.repeat(before)}<PERSON_0123456789ab>${'x'.repeat(9_000)}`)).toEqual(['0123456789ab'])
    }
  })

  test.each(['<PERSON_0123456789ab>', 'PERSON_0123456789a ', 'D'])(
    'in 2 MB of %j holds the thread for a small part of the work at a time',
    seed => {
      // One flat string: `repeat` leaves that work to the first who reads it.
      const text = Buffer.alloc(2 << 20, seed).toString('latin1')
      expect(longestShare(() => hexesWrittenIn([text]))).toBeLessThan(0.1)
    },
  )

  /** How much of the time of all of the work its longest step takes: of each step the best of several runs. */
  function longestShare(begin: () => Iterator<void, unknown>): number {
    const best: number[] = []
    for (let run = 0; run < 5; run++) {
      const work = begin()
      for (let step = 0, isDone = false; !isDone; step++) {
        const begunAt = performance.now()
        isDone = work.next().done === true
        best[step] = Math.min(best[step] ?? Number.POSITIVE_INFINITY, performance.now() - begunAt)
      }
    }
    return Math.max(...best) / best.reduce((sum, ms) => sum + ms)
  }
})
