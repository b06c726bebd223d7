// The messages of one conversation, oldest first. What the user and the model wrote is only ever shown as text.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Thread, ThreadMessage, ThreadReader } from '../../api/threads.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { Scrollable } from '../../ui/scrollable.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { Time } from '../../ui/time.tsx'

interface MessagesDialogProps {
  reader: ThreadReader
  thread: Thread
  close: () => void
}

export function MessagesDialog({ reader, thread, close }: MessagesDialogProps) {
  const [cursor, setCursor] = useState<string | undefined>()
  const messages = useQuery({
    queryKey: [...reader.key, 'messages', thread.id, cursor],
    queryFn: () => reader.listMessages(thread.id, cursor),
    gcTime: 0,
  })
  return (
    <Dialog title="Conversation" onClose={close}>
      <div className="flex flex-col gap-4">
        <Loaded query={messages} what="messages">
          {({ data, next_cursor }) => (
            <>
              <Scrollable label="Messages" className="max-h-96 overflow-y-auto">
                <ol className="flex flex-col gap-4">
                  {data.map(message => (
                    <MessageItem key={message.id} message={message} />
                  ))}
                </ol>
              </Scrollable>
              <Pager cursor={cursor} next={next_cursor} go={setCursor} />
            </>
          )}
        </Loaded>
        <p>
          <Button onClick={close}>Close</Button>
        </p>
      </div>
    </Dialog>
  )
}

function MessageItem({ message }: { message: ThreadMessage }) {
  return (
    <li>
      <p className="text-sm text-soft">
        {message.role}, <Time iso={message.created_at} />
      </p>
      <p dir="auto" className="whitespace-pre-wrap">
        {textOf(message.content)}
      </p>
      {message.tool_calls?.map(({ id, function: { name, arguments: given } }) => (
        <code key={id} dir="auto" className="block whitespace-pre-wrap">{`${name}(${given})`}</code>
      ))}
    </li>
  )
}

/** Parts that are no text are named. */
function textOf(content: ThreadMessage['content']): string {
  if (content === null || typeof content === 'string') return content ?? ''
  return content.map(part => part.text ?? part.refusal ?? `[${part.type}]`).join('\n')
}
