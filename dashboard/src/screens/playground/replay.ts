// What the playground takes from a request of the log: its messages, if they are kept and may be read, else its model
// and its prompt.
import type { ManagementRoutes } from '@sallyport/sdk'
import type { PlaygroundMessage } from '../../api/run-playground.ts'

type LoggedRequest = ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/{requestId}']['output']
type Content = NonNullable<LoggedRequest['content']>
type KeptMessage = Content['messages'][number]

export interface Replay {
  requestId: string
  model: string | null
  /** Only without messages: they have those of the prompt. */
  prompt: string | null
  /** Null if they are not kept, or not for this reader. */
  messages: { system: string; earlier: PlaygroundMessage[]; last: string } | null
  /** Images, files, or older messages are missing. */
  isCut: boolean
}

/** `systemPrompt`: of the settings, which the gateway adds to each request. */
export function replayOf({ id, model, model_asked, prompt, content }: LoggedRequest, systemPrompt: string): Replay {
  const common = { requestId: id, model: model_asked ?? model }
  if (content === undefined) return { ...common, prompt, messages: null, isCut: false }
  const isCut =
    content.left_out > 0 || content.messages.some(message => message.content.some(part => !('text' in part)))
  return { ...common, prompt: null, messages: messagesOf(content.messages, systemPrompt), isCut }
}

function messagesOf(kept: readonly KeptMessage[], systemPrompt: string): Replay['messages'] {
  const own = kept.filter(message => !(message.role === 'system' && textOf(message) === systemPrompt))
  const firstOther = own.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const system = own.slice(0, firstOther === -1 ? own.length : firstOther)
  const rest = own.slice(system.length)
  const last = rest.at(-1)
  const endsWithUser = last?.role === 'user'
  return {
    system: system.map(textOf).join('\n\n'),
    earlier: (endsWithUser ? rest.slice(0, -1) : rest).map(asSent),
    last: endsWithUser && last !== undefined ? textOf(last) : '',
  }
}

function textOf({ content }: KeptMessage): string {
  return content.flatMap(part => ('text' in part ? [part.text] : [])).join('\n')
}

function asSent(message: KeptMessage): PlaygroundMessage {
  const { role, tool_calls: calls, tool_call_id: callId } = message
  return {
    role,
    content: textOf(message),
    ...(callId !== undefined && { tool_call_id: callId }),
    ...(calls !== undefined && {
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: given },
      })),
    }),
  }
}
