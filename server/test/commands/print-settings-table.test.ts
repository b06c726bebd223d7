// docs/settings.md says what the table of the settings says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderSettingsPage, settingsPage } from '../../src/commands/print-settings-table.ts'

test('the page is fresh; `npm run docs:settings` makes it so', () => {
  expect(readFileSync(settingsPage, 'utf8')).toBe(renderSettingsPage())
})
