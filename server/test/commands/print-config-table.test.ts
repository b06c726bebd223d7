// docs/configuration.md says what the schema says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configurationPage, renderConfigurationPage } from '../../src/commands/print-config-table.ts'
import { variables } from '../../src/config/schema.ts'
import { describeConfig } from '../../src/config/table.ts'

test('the page is fresh; `npm run docs:config` makes it so', () => {
  expect(readFileSync(configurationPage, 'utf8')).toBe(renderConfigurationPage())
})

test('every variable that is read is described', () => {
  const described = describeConfig().flatMap(section => section.variables.map(({ name }) => name))
  expect(described.toSorted()).toEqual(Object.keys(variables.shape).toSorted())
})
