// The syntax of conversation ids in X-Session-Id and X-Thread-Id.

export function isConversationId(id: string): boolean {
  return /^[A-Za-z0-9_.:-]{1,128}$/.test(id)
}
