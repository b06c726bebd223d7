// Tests that `npm test` and what it leaves out are together every file, and none twice.
import { expect, test } from 'vitest'
import { findTestFiles, isOfSpeed } from './speeds.ts'

test.each([
  ['server/test/kv/store.test.ts', 'quick'],
  ['server/test/kv/fullness.test.ts', 'quick'],
  ['server/test/kv/store.full.test.ts', 'rest'],
  ['server/test/kv/store.alone.test.ts', 'rest'],
] as const)('%s is %s', (file, speed) => {
  expect((['quick', 'rest'] as const).filter(name => isOfSpeed(name, file))).toEqual([speed])
  expect(isOfSpeed('all', file)).toBe(true)
})

test('each file has at most one suffix', () => {
  expect(findTestFiles().filter(file => !/\/[^./]+(\.full|\.alone)?\.test\.ts$/.test(file))).toEqual([])
})
