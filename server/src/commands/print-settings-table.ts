// Writes docs/settings.md (`npm run docs:settings`): the text below and the table of the settings.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FieldTable } from '../domain/settings/field-table.ts'
import { settingsTable } from '../domain/settings/settings.ts'

export const settingsPage = join(import.meta.dirname, '../../../docs/settings.md')

export function renderSettingsPage(): string {
  return `<!-- Made by \`npm run docs:settings\` from server/src/domain/settings/settings.ts; a test fails if it is stale. -->
# Settings of a project

This page is for everyone who configures a project with the dashboard or the management API.
\`PUT /auth/v1/projects/:projectId/settings\` edits a draft, which does not change live traffic before
\`POST …/settings/deploy\`. A request may have any of these fields. If several are invalid, the error
reports the first one in the order of this table.

Tiers can override the fields with "yes" in the column Tier. A token that names a tier gets the
tier's values in place of the project's.

| Field | Values | Default | Tier | Meaning |
|---|---|---|---|---|
${renderRows(settingsTable)}

The \`cors_origins\` of a new project contain \`DASHBOARD_ORIGIN\`.
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
