// How long a plain answer may take in all, by what the operator set.
import { expect, test } from 'vitest'
import { plainTotalTimeoutOf } from '../../../src/domain/conversation/upstream-timeouts.ts'

test.each([
  ['by default', 120, 900, 300],
  ['with less for all', 120, 60, 60],
  ['with more for all', 120, 3_600, 300],
  ['with more for the first byte', 600, 900, 600],
  ['with more for the first byte than for all', 3_600, 900, 900],
])('%s', (_name, timeoutSeconds, totalSeconds, plain) => {
  const times = { timeoutMs: timeoutSeconds * 1000, idleTimeoutMs: 60_000, totalTimeoutMs: totalSeconds * 1000 }
  expect(plainTotalTimeoutOf(times)).toBe(plain * 1000)
})
