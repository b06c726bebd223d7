// The windows that are scored: they cover each token of a text, and those around a token are among them.
import { describe, expect, test } from 'vitest'
import {
  eachWindow,
  eachWindowAround,
  tokenAt,
  windowWidths,
} from '../../../../src/guardrails/sentinel/model/windows.ts'

type Range = [start: number, end: number]

function allOf(count: number): Range[] {
  const windows: Range[] = []
  eachWindow('window', count, (start, end) => windows.push([start, end]))
  return windows
}

function aroundOf(count: number, token: number): Range[] {
  const windows: Range[] = []
  eachWindowAround('window', count, token, (start, end) => windows.push([start, end]))
  return windows
}

const [narrow, widest] = windowWidths

describe.each([0, 1, narrow, narrow + 1, 41, 110, 111, 500])('of a text of %d tokens', count => {
  test('each token is in windows of each width that the text is longer than', () => {
    for (const width of windowWidths.filter(width => width < count)) {
      const ofWidth = allOf(count).filter(([start, end]) => end - start === width)
      for (let token = 0; token < count; token++) {
        expect(ofWidth.some(([start, end]) => start <= token && token < end)).toBe(true)
      }
    }
  })

  test('none is outside the text, and one is the whole text if it is short', () => {
    for (const [start, end] of allOf(count)) expect(start >= 0 && end <= count).toBe(true)
    if (count <= widest) expect(allOf(count)).toContainEqual([0, count])
  })

  test('those around a token are those that contain it, and narrower ones', () => {
    for (let token = 0; token < count; token++) {
      const containing = allOf(count).filter(([start, end]) => start <= token && token < end)
      const around = aroundOf(count, token)
      expect(around.filter(([start, end]) => end - start >= Math.min(narrow, count))).toEqual(containing)
      expect(around.every(([start, end]) => start <= token && token < end)).toBe(true)
      if (count >= narrow) expect(around.some(([start, end]) => end - start < narrow)).toBe(true)
    }
  })
})

test('a text as a whole is one window', () => {
  const windows: Range[] = []
  eachWindow('whole', 110, (start, end) => windows.push([start, end]))
  eachWindowAround('whole', 110, 40, (start, end) => windows.push([start, end]))
  expect(windows).toEqual([
    [0, 110],
    [0, 110],
  ])
})

test('the number of windows grows with the length and not faster', () => {
  expect(allOf(20_000).length / allOf(10_000).length).toBeLessThan(2.1)
})

test.each([
  [0, 0],
  [4, 0],
  [5, 1],
  [9, 2],
  [100, 3],
])('the token at position %d is the last one that begins there or before', (position, token) => {
  const starts = Int32Array.of(0, 5, 9, 12)
  expect(tokenAt({ count: 4, starts, buckets: new Int32Array(), ends: new Int32Array(5) }, position)).toBe(token)
})
