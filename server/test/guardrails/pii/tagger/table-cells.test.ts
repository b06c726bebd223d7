// Names and places in tables: each find stays in its cell, no number of another cell goes with it, and addresses keep
// their lines.
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { EntityType } from '../../../../src/domain/settings/settings.ts'
import { findEntities } from '../../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget } from '../../../../src/guardrails/work-budget.ts'

async function find(text: string): Promise<string[]> {
  const wanted = new Set<EntityType>(['PERSON', 'LOCATION'])
  const finds = await findEntities(text, wanted, createWorkBudget(1e9))
  return finds.map(({ start, end }) => text.slice(start, end))
}

test.each([
  ['tabs', 'Paris\t600\nLondon\t400'],
  ['tabs and a head', 'City\tSales\nParis\t600\nLondon\t400'],
  ['tabs among blanks', 'Paris \t 600 \nLondon \t 400'],
  ['empty cells', 'Paris\t\t600\nLondon\t\t400'],
  ['bars', '| City | Sales |\n|---|---|\n| Paris | 600 |\n| London | 400 |'],
  ['semicolons', 'Paris;600\nLondon;400'],
  ['two blanks', 'Paris  600\nLondon  400'],
  ['columns of blanks', 'Paris      600\nLondon     400'],
  ['commas', 'Paris,600\nLondon,400'],
  ['colons', 'Paris: 600\nLondon: 400'],
  ['dashes', 'Paris - 600\nLondon - 400'],
  ['a blank', 'Paris 600\nLondon 400'],
  ['the number first', '600 Paris\n400 London'],
  ['a tab behind the number', '600\tParis\n400\tLondon'],
  ['a number on a line of its own', 'Paris\n600\nLondon\n400'],
  ['fractions', 'Paris\t67.4\nLondon\t83.2'],
])('places in rows are found without what stands beside them: %s', async (_parted, text) => {
  expect(await find(text)).toEqual(['Paris', 'London'])
})

test('people and places of several cells are found one by one', async () => {
  const rows = [
    ['Anna Berg', 'San Francisco', '12'],
    ['Bob Miller', 'New York', '7'],
  ]
  for (const joint of ['\t', ' | ', '    ', '  ']) {
    for (const lineEnd of ['\n', '\r\n']) {
      const text = rows.map(row => row.join(joint)).join(lineEnd)
      const found = await find(text)
      expect(found, JSON.stringify(text)).toEqual(['Anna Berg', 'San Francisco', 'Bob Miller', 'New York'])
    }
  }
})

test.each([
  [
    'Name\tCity\tStatus\nAnna Berg\tOsaka\tSales\nChen Wei\tLisbon\tActive',
    ['Anna Berg', 'Osaka', 'Chen Wei', 'Lisbon'],
  ],
  [
    'Name\tCity\tStatus\nAnna Berg\tBob Miller\tActive\nChen Wei\tLisbon\tpaid',
    ['Anna Berg', 'Bob Miller', 'Chen Wei', 'Lisbon'],
  ],
  ['Germany,117\nBob Miller,1784', ['Germany', 'Bob Miller']],
])('a cell does not make the next one a part of a name: %j', async (text, found) => {
  expect(await find(text)).toEqual(found)
})

test.each([
  ['12 Main Street\nSpringfield, IL 62704\nUSA', ['12 Main Street\nSpringfield, IL 62704\nUSA']],
  ['Lindenstrasse 14\n10115 Berlin\nDeutschland', ['Lindenstrasse 14\n10115 Berlin\nDeutschland']],
  ['Address:\t12 Main Street\n\tSpringfield, IL 62704', ['12 Main Street\n\tSpringfield, IL 62704']],
  ['1\t12 Main Street, Boston, MA 02118\t9', ['12 Main Street, Boston, MA 02118']],
  ['Bob\t660 Mission Street\tSan Francisco', ['Bob', '660 Mission Street', 'San Francisco']],
  ['Springfield, IL 62704\nBoston, MA 02118', ['Springfield, IL 62704\nBoston, MA 02118']],
])('an address keeps its lines and numbers: %j', async (text, found) => {
  expect(await find(text)).toEqual(found)
})

const cell = fc.constantFrom(
  ...[
    'Anna Berg',
    'Bob Miller',
    'Chen Wei',
    'Paris',
    'New York',
    'Nairobi',
    'Rio de Janeiro',
    'Springfield',
    'Germany',
  ],
  ...['600', '12', '67.4', '2023', '15%', 'paid', 'Total', 'CA'],
)
const table = fc
  .integer({ min: 2, max: 4 })
  .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }))

test('no find of a table lies in two cells', async () => {
  const joints = fc.constantFrom('\t', ' \t', '|', ' | ', ';', '; ', '   ', '      ')
  await fc.assert(
    fc.asyncProperty(table, joints, fc.constantFrom('\n', '\r\n'), async (rows, joint, end) => {
      const text = rows.map(row => row.join(joint)).join(end)
      const cells = new Set(rows.flat())
      for (const found of await find(text))
        expect(
          [...cells].some(one => one.includes(found)),
          found,
        ).toBe(true)
    }),
    { numRuns: inject('prove') ? 5_000 : 500 },
  )
})
