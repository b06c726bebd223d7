// What a deploy or rollback changes, and what will not work then, as lines for people.
import type { ManagementRoutes } from '@sallyport/sdk'
import { paint } from '../frame/terminal.ts'

export type Changes = ManagementRoutes['GET /auth/v1/projects/{projectId}/settings/changes']['output']

export function showChanges(changes: Changes): string {
  return changes
    .map(({ field, from, to }) => {
      const lines = [paint('bold', field)]
      if (from !== undefined && from !== null) lines.push(paint('red', `- ${JSON.stringify(from)}`))
      if (to !== undefined && to !== null) lines.push(paint('green', `+ ${JSON.stringify(to)}`))
      return lines.join('\n')
    })
    .join('\n')
}

type Warnings = ManagementRoutes['GET /auth/v1/projects/{projectId}/settings/warnings']['output']['draft']

/** Each on a line of its own, after the changes. */
export const showWarnings = (warnings: Warnings): string =>
  warnings.map(({ message }) => `\n${paint('yellow', 'Warning:')} ${message}`).join('')
