// The service accounts of a tenant: list, create, change, rotate, delete. A key is shown once.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { projectsQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { SecretDialog } from '../../ui/dialogs/secret-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { PermissionList } from '../members/permission-list.tsx'
import { AccountActions } from './account-actions.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { type ServiceAccount, serviceAccountsQuery } from './queries.ts'

export function ServiceAccountsScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/service-accounts' })
  const mayWrite = useMay(tenantId)('service_accounts:write')
  const [isCreating, setCreating] = useState(false)
  const [key, setKey] = useState<string | null>(null)
  if (!mayWrite) {
    return (
      <Page title="Service accounts">
        <Empty title="Your role does not manage service accounts">An owner can give you one that does.</Empty>
      </Page>
    )
  }
  return (
    <Page
      title="Service accounts"
      lead={
        <>
          Programs use the management API with the key of a service account, which does what you grant it and no more.{' '}
          <a href="/docs/access#service-accounts">About service accounts</a>
        </>
      }
      actions={
        <Button look="primary" onClick={() => setCreating(true)}>
          New service account
        </Button>
      }
    >
      <AccountTable tenantId={tenantId} showKey={setKey} />
      {isCreating && (
        <AccountDialog tenantId={tenantId} account={null} close={() => setCreating(false)} onCreated={setKey} />
      )}
      {key !== null && (
        <SecretDialog
          title="The service account’s key"
          label="key"
          text={key}
          done="I have stored the key"
          close={() => setKey(null)}
        >
          Copy it now and store it where the program runs: it is shown only here, and only once.
        </SecretDialog>
      )}
    </Page>
  )
}

function AccountTable({ tenantId, showKey }: { tenantId: string; showKey: (key: string) => void }) {
  const accounts = useQuery(serviceAccountsQuery(tenantId))
  const projects = useQuery(projectsQuery(tenantId))
  const names = new Map(projects.data?.map(({ id, name }) => [id, name]))
  const changes = useLastChanges({
    tenantId,
    actions: ['service_account.create', 'service_account.change', 'service_account.rotate'],
    rows: accounts.data ?? [],
    idOf: ({ id }) => id,
  })
  const actions: Column<ServiceAccount> = {
    title: 'Actions',
    cell: account => <AccountActions tenantId={tenantId} account={account} showKey={showKey} />,
  }
  return (
    <Loaded query={accounts} what="the service accounts">
      {rows => (
        <Table
          caption="Service accounts"
          columns={[...columnsOf(names), ...changes, actions]}
          rows={rows}
          keyOf={({ id }) => id}
          empty={<Empty title="No service accounts">A script or a pipeline needs one to change settings.</Empty>}
        />
      )}
    </Loaded>
  )
}

const columnsOf = (projectNames: ReadonlyMap<string, string>): Column<ServiceAccount>[] => [
  { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  { title: 'Ends with', isNarrow: true, cell: ({ hint }) => <code>{`…${hint}`}</code> },
  { title: 'Permissions', cell: ({ permissions }) => <PermissionList permissions={permissions} /> },
  {
    title: 'Projects',
    isNarrow: true,
    cell: ({ projects }) =>
      projects === null ? 'All' : <bdi>{projects.map(id => projectNames.get(id) ?? id).join(', ')}</bdi>,
  },
  { title: 'Created by', cell: ({ created_by }) => <bdi>{created_by}</bdi> },
  {
    title: 'Last used',
    isNarrow: true,
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time iso={last_used_at} />),
  },
  { title: 'Expires', isNarrow: true, cell: ({ expires_at }) => <Expiry at={expires_at} /> },
]

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>Never</>
  return Date.parse(at) <= Date.now() ? <Badge tone="danger">Expired</Badge> : <Time iso={at} />
}
