// Projects that answer requests for responses, behind a provider of another wire format, and what tests read from the
// answers.
import type { Answer, Stage, TestProject } from '../../inference/inference-stage.ts'

export interface WireResponse {
  id: string
  status: string
  store: boolean
  instructions: string | null
  previous_response_id: string | null
  output: WireItem[]
  usage: { input_tokens: number; output_tokens: number; total_tokens: number } | null
  [field: string]: unknown
}

export interface WireItem {
  type: string
  id: string
  content?: { type: string; text?: string; refusal?: string }[]
  summary?: { text: string }[]
  call_id?: string
  name?: string
  arguments?: string
  encrypted_content?: string | null
}

export interface WireEvent {
  type: string
  sequence_number: number
  response?: WireResponse
  delta?: string
  [field: string]: unknown
}

interface TestProvider {
  provider: string
  key: string
  model: string
}

export const mistral: TestProvider = {
  provider: 'mistral',
  key: 'mistral0123456789abcdef0123456789',
  model: 'mistral/mistral-small-latest',
}

export const openrouter: TestProvider = {
  provider: 'openrouter',
  key: 'sk-or-v1-0123456789abcdef0123456789',
  model: 'openrouter/meta-llama/llama-3.3-70b-instruct',
}

type Options = Parameters<TestProject['ask']>[2]

export async function makeProjectOf(
  stage: Stage,
  { provider, key, model }: TestProvider,
  settings: Record<string, unknown> = {},
): Promise<TestProject> {
  return await stage.makeProject({ model, provider: { path: provider, body: { api_key: key } }, settings })
}

export async function respond(project: TestProject, body: object = {}, options: Options = {}): Promise<Answer> {
  return await project.ask('POST', '/v1/responses', { body: { input: 'Hello', ...body }, ...options })
}

/** The response of a request that must succeed, whole or streamed. */
export async function getResponse(project: TestProject, body: object, options: Options = {}): Promise<WireResponse> {
  const answer = await respond(project, body, options)
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text}`)
  if (answer.body !== null) return answer.body as WireResponse
  const last = responseEventsOf(answer.text).at(-1)?.response
  if (last === undefined) throw new Error(`the stream ended without a response: ${answer.text}`)
  return last
}

/** Throws if the name of an event is not its type, or the numbers have a gap. */
export function responseEventsOf(text: string): WireEvent[] {
  const blocks = text.split('\n\n').filter(block => block !== '' && !block.startsWith(':'))
  return blocks.map((block, number) => {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? []
    const event = JSON.parse(data ?? 'null') as WireEvent | null
    if (event === null || event.type !== name || event.sequence_number !== number) {
      throw new Error(`event ${number} is ${block}`)
    }
    return event
  })
}

export function textOfResponse({ output }: Pick<WireResponse, 'output'>): string {
  return output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join('')
}
