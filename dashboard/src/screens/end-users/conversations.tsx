// The conversations of an end user, for support staff who hold a token of a service. The token and what was read with
// it stay in the memory of the page.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/queries.ts'
import { createThreadReader, type Thread, type ThreadReader } from '../../api/threads.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { MessagesDialog } from './messages-dialog.tsx'

interface ConversationsProps {
  slug: string
  uid: string
}

export function Conversations({ slug, uid }: ConversationsProps) {
  const [reader, setReader] = useState<ThreadReader | null>(null)
  if (reader !== null) return <ThreadList reader={reader} />
  const submit = async ({ token = '' }: FormValues): Promise<void> => {
    const proven = createThreadReader({ slug, uid, token: token.trim() })
    await proven.list(undefined)
    setReader(proven)
  }
  return (
    <>
      <p className="max-w-2xl text-soft">
        Your session is not enough to read what users wrote. It needs a token of the role <code>admin</code> or{' '}
        <code>dashboard-service</code>, which your server mints with an API key of that role.{' '}
        <a href="/docs/guide-mint">About minting</a>
      </p>
      <Form submit={submit} submitLabel="Read conversations">
        <TextField
          name="token"
          label="Token"
          type="password"
          autoComplete="off"
          hint="It stays in the memory of this page until you leave it."
          required
        />
      </Form>
    </>
  )
}

function ThreadList({ reader }: { reader: ThreadReader }) {
  const [cursor, setCursor] = useState<string | undefined>()
  const [opened, setOpened] = useState<Thread | null>(null)
  const threads = useQuery({
    queryKey: [...reader.key, 'list', cursor],
    queryFn: () => reader.list(cursor),
    // Nothing of it stays after the page.
    gcTime: 0,
  })
  const columns: Column<Thread>[] = [
    { title: 'Begins with', cell: ({ title }) => <bdi>{title}</bdi> },
    { title: 'Messages', isNumber: true, cell: thread => formatCount(thread.message_count) },
    { title: 'Last message', cell: thread => <Time iso={thread.updated_at} /> },
    {
      title: 'Actions',
      cell: thread => (
        <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
          <Button aria-label={`Read ${thread.title}`} onClick={() => setOpened(thread)}>
            Read
          </Button>
          <DeleteThread reader={reader} thread={thread} />
        </div>
      ),
    },
  ]
  return (
    <Loaded query={threads} what="conversations">
      {({ data, next_cursor }) => (
        <>
          <Table
            caption="Conversations"
            columns={columns}
            rows={data}
            keyOf={({ id }) => id}
            empty={
              <Empty title="No conversations">
                They are kept if <code>memory_enabled</code> is deployed and the request has an <code>X-Thread-Id</code>
                .
              </Empty>
            }
          />
          <Pager cursor={cursor} next={next_cursor} go={setCursor} />
          {opened !== null && <MessagesDialog reader={reader} thread={opened} close={() => setOpened(null)} />}
        </>
      )}
    </Loaded>
  )
}

function DeleteThread({ reader, thread }: { reader: ThreadReader; thread: Thread }) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Delete the conversation?',
      body: (
        <p>
          <bdi>“{thread.title}”</bdi> with all its messages is deleted for good. The user’s next message starts anew.
        </p>
      ),
      action: 'Delete conversation',
      run: async () => {
        await reader.remove(thread.id)
        await queryClient.invalidateQueries({ queryKey: reader.key })
        toast.show('The conversation is deleted.')
      },
    })
  return (
    <Button aria-label={`Delete ${thread.title}`} onClick={ask}>
      Delete
    </Button>
  )
}
