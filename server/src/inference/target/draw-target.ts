// Draws the numbers by which weighted routes choose a target: the same ones for all requests of an end user within a
// conversation, so that its model does not change.

import { hash } from 'node:crypto'
import type { Verified } from '../../domain/caller.ts'
import { conversationOwner } from '../../domain/conversation/conversation-owner.ts'

export type RoutedCaller = Pick<Verified, 'tenantId' | 'projectId' | 'userId' | 'sessionId' | 'threadId'>

/** The digits of a hash that a number holds exactly. */
const hexDigits = 13
const range = 16 ** hexDigits

/** The numbers are above 0 and at most 1. */
export function drawFor(caller: RoutedCaller): (model: string) => number {
  const conversation = conversationOf(caller)
  if (conversation === null) return () => 1 - Math.random()
  return model => {
    const digest = hash('sha256', `${conversation} ${model}`)
    return (Number.parseInt(digest.slice(0, hexDigits), 16) + 0.5) / range
  }
}

/** Null for a request on its own. A thread takes precedence over a session, as in memory. */
function conversationOf({ projectId, userId, sessionId, threadId }: RoutedCaller): string | null {
  const id = threadId ?? sessionId
  return id === null
    ? null
    : `${conversationOwner({ projectId, userId })} ${threadId === null ? 'session' : 'thread'} ${id}`
}
