// The syntax of conversation ids in X-Session-Id and X-Thread-Id.

export const conversationIdForm = /^[A-Za-z0-9_.:-]{1,128}$/

export function isConversationId(id: string): boolean {
  return conversationIdForm.test(id)
}
