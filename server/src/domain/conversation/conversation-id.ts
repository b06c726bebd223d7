// The shape of a conversation's id, as X-Session-Id and X-Thread-Id carry it.

export function isConversationId(id: string): boolean {
  return /^[A-Za-z0-9_.:-]{1,128}$/.test(id)
}
