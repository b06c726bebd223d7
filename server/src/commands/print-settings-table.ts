// Writes docs/settings.md (`npm run docs:settings`): the text below and the table of the settings.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FieldTable, settingsTable } from '../domain/settings/settings.ts'

export const settingsPage = join(import.meta.dirname, '../../../docs/settings.md')

export function renderSettingsPage(): string {
  return `<!-- Made by \`npm run docs:settings\` from server/src/domain/settings/settings.ts; a test fails when it is stale. -->
# Settings of a project

For those who configure a project through the dashboard or the management API. \`PUT /auth/v1/projects/:projectId/settings\`
edits a draft: live traffic sees nothing of it before \`POST …/settings/deploy\`. A request may send any of these fields; the
first invalid one, in the order of this table, is reported.

A tier may override every field that says so. A token that names the tier gets the override in place of the project's value.

| Field | Values | Default | Tier | Meaning |
|---|---|---|---|---|
${renderRows(settingsTable)}

A new project's \`cors_origins\` hold \`DASHBOARD_ORIGIN\`.
`
}

function renderRows(table: FieldTable): string {
  return Object.entries(table)
    .map(([name, { type, isProjectOnly, meaning, ...row }]) => {
      const cells = [
        `\`${name}\``,
        type.values,
        `\`${JSON.stringify(row.default)}\``,
        isProjectOnly ? 'no' : 'yes',
        meaning,
      ]
      return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
    })
    .join('\n')
}

if (import.meta.main) writeFileSync(settingsPage, renderSettingsPage())
