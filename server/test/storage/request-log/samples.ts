// Rows of the request log for tests.
import type { RequestRecord } from '../../../src/domain/requests/request-record.ts'
import { startIdOf } from '../../../src/storage/request-log/request-days.ts'

export const project = '00000000-0000-4000-8000-0000000000aa'
export const otherProject = '00000000-0000-4000-8000-0000000000bb'
export const noon = Date.UTC(2026, 4, 1, 12)

let made = 0

export function recordAt(at: number, changes: Partial<RequestRecord> = {}): RequestRecord {
  made += 1
  return {
    id: `${startIdOf(at)}4${made.toString(16).padStart(3, '0')}-8000-${made.toString(16).padStart(12, '0')}`,
    projectId: project,
    at,
    userId: 'user-1',
    tier: null,
    endpoint: 'chat_completions',
    isStream: true,
    modelAsked: 'gpt-x',
    model: 'openai/gpt-x',
    provider: 'openai',
    status: 200,
    errorCode: null,
    finishReason: 'stop',
    latencyMs: 120,
    firstTokenMs: 40,
    attempts: 1,
    cache: null,
    promptTokens: 10,
    cachedTokens: 2,
    completionTokens: 5,
    reasoningTokens: 1,
    cost: 1_500,
    guardrails: [],
    threadId: null,
    sessionId: null,
    agentSessionId: null,
    agentId: null,
    client: 'OpenAI/JS 4.2',
    isPlayground: false,
    promptName: null,
    promptVersion: null,
    exceeded: null,
    timeline: [{ name: 'end', start: 120, end: 120, detail: null }],
    ...changes,
  }
}
