// The credentials with which programs operate the installation: list, create, delete. A secret is shown once.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { SecretDialog } from '../../ui/dialogs/secret-dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { NewCredentialDialog } from './new-credential-dialog.tsx'
import { useOperator } from './operator-context.tsx'
import { credentialsQuery, type ListedCredential, refreshOperators } from './queries.ts'

export function Credentials() {
  const credentials = useInfiniteQuery(credentialsQuery(useOperator()))
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Section title="Credentials of programs">
      <p>
        <Button onClick={() => setCreating(true)}>New credential</Button>
      </p>
      <Loaded query={credentials} what="the credentials">
        {({ pages }) => (
          <Table
            caption="Credentials"
            columns={columns}
            rows={pages.flatMap(({ data }) => data)}
            keyOf={({ id }) => id}
            empty={
              <Empty title="No credentials">A program that reads or changes the installation needs its own.</Empty>
            }
          />
        )}
      </Loaded>
      {credentials.hasNextPage && (
        <p>
          <ActionButton run={() => credentials.fetchNextPage({ throwOnError: true })}>More credentials</ActionButton>
        </p>
      )}
      {isCreating && <NewCredentialDialog close={() => setCreating(false)} onCreated={setSecret} />}
      {secret !== null && (
        <SecretDialog
          title="The secret of the credential"
          label="secret"
          text={secret}
          done="I have stored the secret"
          close={() => setSecret(null)}
        >
          The program sends it as <code>X-Admin-Secret</code>. Copy it now: it is shown only here, and only once.
        </SecretDialog>
      )}
    </Section>
  )
}

const columns: Column<ListedCredential>[] = [
  { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  { title: 'Ends with', cell: ({ hint }) => <code>{`…${hint}`}</code> },
  { title: 'Permissions', cell: ({ scope }) => (scope === 'read' ? 'read' : 'read and write') },
  { title: 'Created', cell: ({ created_at }) => <Time iso={created_at} /> },
  { title: 'Created by', cell: ({ created_by }) => <bdi>{created_by}</bdi> },
  { title: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
  { title: 'Actions', cell: credential => <DeleteCredential credential={credential} /> },
]

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>Never</>
  return Date.parse(at) <= Date.now() ? <Badge tone="danger">Expired</Badge> : <Time iso={at} />
}

function DeleteCredential({ credential: { id, name } }: { credential: ListedCredential }) {
  const operator = useOperator()
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Delete the credential?',
      body: (
        <p>
          The secret of <bdi>“{name}”</bdi> stops working at once, for good.
        </p>
      ),
      action: 'Delete credential',
      run: async () => {
        await operator.request('DELETE', '/v1/admin/credentials/{credentialId}', { path: { credentialId: id } })
        await refreshOperators()
        toast.show('The credential is deleted.')
      },
    })
  return (
    <Button aria-label={`Delete ${name}`} onClick={ask}>
      Delete
    </Button>
  )
}
