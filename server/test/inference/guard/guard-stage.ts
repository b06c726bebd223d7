// Projects with guardrails, a provider that repeats the last message, and the guardrails' events. Uses only the HTTP
// contract; imports no source file.
import { expect } from 'vitest'
import { say } from '../../support/simulated/provider-answers.ts'
import type { Answer, Asked, Stage, TestProject } from '../inference-stage.ts'

export const mail = 'zoe.roe@example.com'
export const card = '4111 1111 1111 1111'
export const ssn = '536-22-8145'
const address = '203.0.113.77'
/** All values in one sentence, in the order of `values`. */
export const everything = `Write to ${mail}, card ${card}, SSN ${ssn}, from ${address}.`
export const values: readonly string[] = [mail, card, ssn, address]

const token = (type: string) => `<${type}_[0-9a-f]{12}>`
export const tokens = {
  mail: token('EMAIL_ADDRESS'),
  card: token('CREDIT_CARD'),
  ssn: token('US_SSN'),
  address: token('IP_ADDRESS'),
}

export const maskAll = {
  pii_mode: 'enforce',
  pii_entities: { EMAIL_ADDRESS: 'MASK', CREDIT_CARD: 'MASK', US_SSN: 'MASK', IP_ADDRESS: 'MASK' },
}
export const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })

/** Lets the provider repeat the last message in OpenAI's format, streams in pieces of this many characters. */
export function repeatLast(stage: Stage, pieceLength = 7): void {
  stage.script(({ body }) => {
    const { messages, stream } = JSON.parse(body) as Asked
    const text = String(messages.at(-1)?.content)
    return say('openai', { text: piecesOf(text, stream === true ? pieceLength : text.length || 1) }, stream === true)
  })
}

export function piecesOf(text: string, length: number): string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? []
}

/** The whole last request that the provider got, as text. */
export function lastAsked(stage: Stage): string {
  return JSON.stringify(stage.asked().at(-1))
}

export function contentOf(answer: Answer): string {
  const { choices } = answer.body as { choices: { message: { content: string } }[] }
  return choices[0]?.message.content ?? ''
}

export interface ListedEvent {
  type: string
  mode: string
  action_taken: string
  request_id: string
  project_id: string
  entity_types?: string[]
  [field: string]: unknown
}

/** Waits for the expected number of events of one request, and returns them sorted by type. */
export async function eventsOfRequest(stage: Stage, project: TestProject, answer: Answer, count: number) {
  const id = String(answer.headers['x-request-id'])
  const read = async (): Promise<ListedEvent[]> => {
    const path = `/v1/tenants/${project.tenantId}/guardrails/events?limit=200&project_id=${project.id}`
    const listed = await stage.harness.call('GET', path, { session: stage.harness.owner.session })
    const { data } = listed.body as { data: ListedEvent[] }
    return data.filter(({ request_id }) => request_id === id).sort((a, b) => (a.type < b.type ? -1 : 1))
  }
  await expect.poll(async () => (await read()).length, { interval: 200 }).toBe(count)
  return await read()
}
