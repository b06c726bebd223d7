// The prefix of the keys under which the key-value store keeps an end user's conversations and cached answers. No other
// user's keys begin with it.

import { hash } from 'node:crypto'

interface Owner {
  projectId: string
  userId: string
}

export function conversationOwner({ projectId, userId }: Owner): string {
  return `${projectId}:${hash('sha256', userId, 'base64url')}`
}
