// Streams of a provider whose values are masked, for the tests of guarded answers.
import { type Asked, eventsOf, type TestProject } from '../inference-stage.ts'

export interface Chunk {
  choices: {
    index: number
    delta: {
      content?: string
      refusal?: string
      reasoning_content?: string
      reasoning_details?: { text?: string }[]
      tool_calls?: { index: number; function: { arguments: string } }[]
    }
    logprobs: unknown
    finish_reason: string | null
  }[]
}

/** Returns the last message as the provider got it. */
export const maskedIn = (body: string) => String((JSON.parse(body) as Asked).messages.at(-1)?.content)
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const frame = { id: 'c1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'gpt-4o-mini' }
export const chunk = (delta: object, index = 0, finish: string | null = null, more = {}) =>
  data({ ...frame, choices: [{ index, delta, finish_reason: finish, ...more }] })

export async function stream(own: TestProject, body: Record<string, unknown>, options = {}) {
  const answer = await own.open(body, options)
  const isWhole = await answer.ended
  const events = eventsOf(answer.text())
  const chunks = events.filter(
    (event): event is Chunk => typeof event === 'object' && event !== null && 'choices' in event,
  )
  const deltas = (index: number) =>
    chunks.flatMap(({ choices }) => choices.filter(choice => choice.index === index)).map(({ delta }) => delta)
  return { answer, isWhole, events, chunks, deltas }
}
