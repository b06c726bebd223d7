// The API keys of a project: list, create, rotate, revoke. A key's plaintext is shown once.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { apiKeysQuery, projectQuery, queryClient } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { type ApiKey, nameOfKey } from './keys.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { PlaintextDialog } from './plaintext-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

export function ApiKeysScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/api-keys' })
  const project = useQuery(projectQuery(projectId))
  const keys = useQuery(apiKeysQuery(projectId))
  const may = useMay(project.data?.tenant_id ?? '')
  const mayWrite = may('keys:write') && project.data?.status === 'active'
  const [isCreating, setCreating] = useState(false)
  const [plaintext, setPlaintext] = useState<string | null>(null)
  const changes = useLastChanges({
    tenantId: project.data?.tenant_id ?? '',
    actions: ['api_key.create'],
    rows: keys.data ?? [],
    idOf: ({ id }) => id,
    // The entry of a rotation is that of the old key.
    changedAt: ({ createdAt }) => createdAt,
    changedBy: ({ created_by }) => created_by,
  })
  const columnsFor = (rows: readonly ApiKey[]) => [
    ...keyColumns(rows),
    ...(changes.length === 0 ? makerColumns : changes),
    ...useColumns,
    ...(mayWrite ? [actionColumn(projectId, setPlaintext)] : []),
  ]
  const newKey = mayWrite && (
    <Button look="primary" onClick={() => setCreating(true)}>
      New API key
    </Button>
  )
  return (
    <Page
      title="API keys"
      lead="Your servers mint tokens for their end users with an API key. Keep it on servers: never in a page or an app."
      actions={newKey}
    >
      {project.data?.status === 'suspended' && <p>The project is suspended. Reactivate it to create API keys.</p>}
      <Loaded query={keys} what="API keys">
        {rows => (
          <Table
            caption="API keys"
            columns={columnsFor(rows)}
            rows={rows}
            keyOf={({ id }) => id}
            empty={<Empty title="No API keys">Your server needs one to mint tokens.</Empty>}
          />
        )}
      </Loaded>
      {isCreating && <NewKeyDialog projectId={projectId} close={() => setCreating(false)} onCreated={setPlaintext} />}
      {plaintext !== null && <PlaintextDialog apiKey={plaintext} close={() => setPlaintext(null)} />}
    </Page>
  )
}

const keyColumns = (rows: readonly ApiKey[]): Column<ApiKey>[] => [
  {
    title: 'Name',
    cell: apiKey => (
      <>
        <bdi>{apiKey.name ?? 'Without a name'}</bdi>
        <Rotation apiKey={apiKey} rows={rows} />
      </>
    ),
  },
  { title: 'Ends with', cell: ({ hint }) => (hint === null ? 'Not stored' : <code>{`…${hint}`}</code>) },
  { title: 'Role', cell: ({ role }) => role },
]

/** Both keys of a rotation have the same name: their last characters tell them apart. */
function Rotation({ apiKey, rows }: { apiKey: ApiKey; rows: readonly ApiKey[] }) {
  const replaced = rows.filter(({ replaced_by: by }) => by === apiKey.id)
  const successor = rows.find(({ id }) => id === apiKey.replaced_by)
  return (
    <>
      {apiKey.replaced_by !== null && (
        <span className="block text-sm text-soft">
          Replaced by {successor === undefined ? 'a key that is revoked' : endOf(successor)}; <Until old={apiKey} />
        </span>
      )}
      {replaced.map(old => (
        <span key={old.id} className="block text-sm text-soft">
          Replaces {endOf(old)}; that one <Until old={old} />
        </span>
      ))}
    </>
  )
}

const endOf = ({ hint }: ApiKey): string => `…${hint ?? ''}`

function Until({ old: { expires_at: at } }: { old: ApiKey }) {
  const isOver = at !== null && Date.parse(at) <= Date.now()
  return (
    <>
      {isOver ? 'worked' : 'works'} until <Time iso={at} />
    </>
  )
}

/** For who may not read the audit: a key never changes but by a rotation, which makes another. */
const makerColumns: Column<ApiKey>[] = [
  { title: 'Created', cell: ({ createdAt }) => <Time iso={createdAt} /> },
  { title: 'Created by', cell: ({ created_by }) => <bdi>{created_by ?? 'Not stored'}</bdi> },
]

const useColumns: Column<ApiKey>[] = [
  { title: 'Last used', cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time iso={last_used_at} />) },
  { title: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
]

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>Never</>
  return Date.parse(at) <= Date.now() ? <Badge tone="danger">Expired</Badge> : <Time iso={at} />
}

function actionColumn(projectId: string, onRotated: (plaintext: string) => void): Column<ApiKey> {
  return {
    title: 'Actions',
    cell: apiKey => <KeyActions projectId={projectId} apiKey={apiKey} onRotated={onRotated} />,
  }
}

interface KeyActionsProps {
  projectId: string
  apiKey: ApiKey
  onRotated: (plaintext: string) => void
}

function KeyActions({ projectId, apiKey, onRotated }: KeyActionsProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const path = { projectId, keyId: apiKey.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey: apiKeysQuery(projectId).queryKey })
  const [isRotating, setRotating] = useState(false)
  const shown = nameOfKey(apiKey)
  const revoke = () =>
    confirm({
      title: 'Revoke the API key?',
      body: (
        <p>
          <bdi>“{shown}”</bdi> stops working at once, for good: servers that use it can no longer mint tokens. Tokens
          that were minted before stay valid until they expire.
        </p>
      ),
      action: 'Revoke key',
      run: async () => {
        await request('POST', '/auth/v1/projects/{projectId}/api-keys/{keyId}/revoke', { path })
        await refresh()
        toast.show('The API key is revoked.')
      },
    })
  return (
    <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
      <Button aria-label={`Rotate ${shown}`} onClick={() => setRotating(true)}>
        Rotate
      </Button>
      <Button aria-label={`Revoke ${shown}`} onClick={revoke}>
        Revoke
      </Button>
      {isRotating && <RotateDialog {...{ projectId, apiKey, onRotated }} close={() => setRotating(false)} />}
    </div>
  )
}
