// Under which name the key-value store keeps the conversations of one end user: no key of another user begins with it.

import { hash } from 'node:crypto'

interface Owner {
  projectId: string
  userId: string
}

export function conversationOwner({ projectId, userId }: Owner): string {
  return `${projectId}:${hash('sha256', userId, 'base64url')}`
}
