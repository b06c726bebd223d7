// The content of a request: the messages as the provider got them, and its answer before masked values were restored.
import type { ManagementRoutes } from '@sallyport/sdk'
import { MaskedText } from './masked-text.tsx'
import { numbered } from './numbered.ts'

type Content = NonNullable<
  ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/{requestId}']['output']['content']
>
type Message = Content['messages'][number]

export function RequestContent({ content: { messages, left_out: leftOut, answer } }: { content: Content }) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        As the provider got it: masked values stay masked. Each view leaves an entry in the audit.
      </p>
      {leftOut > 0 && <p>{leftOut} older messages were too long to be kept.</p>}
      {numbered(messages).map(({ number, value }) => (
        <OneMessage key={number} message={value} />
      ))}
      {answer !== null && <OneMessage message={answer} />}
    </div>
  )
}

function OneMessage({ message: { role, content, tool_calls: calls = [] } }: { message: Message }) {
  return (
    <section aria-label={role} className="flex flex-col gap-1 rounded-md border border-line bg-raised p-3">
      <h3 className="text-sm text-soft">{role}</h3>
      {numbered(content).map(({ number, value: part }) => (
        <p key={number} dir="auto" className="whitespace-pre-wrap break-words">
          {'text' in part ? <MaskedText text={part.text} /> : `${part.type}, ${part.bytes} characters`}
        </p>
      ))}
      {calls.map(({ id, name, arguments: given }) => (
        <p key={id} dir="auto" className="break-words">
          <code>
            {name}(<MaskedText text={given} />)
          </code>
        </p>
      ))}
    </section>
  )
}
