// The prefix of the keys under which the key-value store keeps the cached answers that all end users of a project
// share. Those of one end user have the prefix of conversation-owner.ts, which is never the same.

export function sharedAnswersOf({ projectId }: { projectId: string }): string {
  return `${projectId}:shared:`
}
