// Hashes an end user's id, for records that must tell the users of a project apart without naming them.

import { hash } from 'node:crypto'

export function hashUser({ projectId, userId }: { projectId: string; userId: string }): string {
  return hash('sha256', `${projectId} ${userId}`).slice(0, 32)
}
