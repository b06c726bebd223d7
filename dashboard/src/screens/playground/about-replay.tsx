// What a replay takes from its request, and which messages are sent before the one in the form.
import { Link } from '@tanstack/react-router'
import { formatCountOf } from '../../ui/numbers.ts'
import type { Replay } from './replay.ts'
import { SaidMessages } from './said-messages.tsx'

export function AboutReplay({ projectId, replay }: { projectId: string; replay: Replay }) {
  const { requestId, model, messages, isCut } = replay
  const earlier = messages?.earlier ?? []
  return (
    <div className="flex max-w-3xl flex-col gap-2 rounded-lg border border-line bg-raised p-3 text-sm">
      <p>
        A replay of{' '}
        <Link to="/app/projects/$projectId/requests/$requestId" params={{ projectId, requestId }}>
          this request
        </Link>
        {model !== null && (
          <>
            , which asks for <code>{model}</code>
          </>
        )}
        .{' '}
        {messages === null
          ? 'Its text is not kept, or you may not read it: write a message.'
          : 'Its messages are as the provider got them: masked values stay masked.'}
        {isCut && ' Images, files and messages that were too long are missing.'}
      </p>
      {earlier.length > 0 && (
        <details>
          <summary>{formatCountOf(earlier.length, 'message')} before the last one</summary>
          <div className="mt-2">
            <SaidMessages messages={earlier} />
          </div>
        </details>
      )}
    </div>
  )
}
