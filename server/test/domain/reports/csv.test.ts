import { expect, test } from 'vitest'
import { csvLine } from '../../../src/domain/reports/csv.ts'

test.each([...'=+-@＝＋－＠\t'])('a cell that begins with %j is no formula', start => {
  expect(csvLine([`${start}1`, `a${start}1`])).toBe(`'${start}1,a${start}1\r\n`)
})
