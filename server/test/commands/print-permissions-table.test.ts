// docs/permissions.md says what the table of the permissions says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { permissionsPage, renderPermissionsPage } from '../../src/commands/print-permissions-table.ts'

test('the page is fresh; `npm run docs:permissions` makes it so', () => {
  expect(readFileSync(permissionsPage, 'utf8')).toBe(renderPermissionsPage())
})
