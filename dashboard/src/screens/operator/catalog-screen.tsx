// The catalog of providers: which models the installation knows, and reading them anew from the provider.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { NewProviderDialog } from './new-provider-dialog.tsx'
import { useOperator } from './operator-context.tsx'
import { type CatalogEntry, catalogQuery } from './queries.ts'

const columns: Column<CatalogEntry>[] = [
  { title: 'Provider', cell: entry => <bdi>{entry.display_name}</bdi> },
  { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
  {
    title: 'State',
    cell: entry => (entry.is_active ? <Badge tone="good">Active</Badge> : <Badge>Not active</Badge>),
  },
  { title: 'Models', isNumber: true, cell: entry => formatCount(entry.model_count) },
  { title: 'Changed', cell: entry => <Time iso={entry.updated_at} /> },
  { title: 'Actions', cell: entry => <SyncModels entry={entry} /> },
]

export function CatalogScreen() {
  const catalog = useQuery(catalogQuery(useOperator()))
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title="Provider catalog"
      lead={
        <>
          The providers and models that all tenants can choose from. <a href="/docs/providers">About providers</a>
        </>
      }
      actions={
        <Button look="primary" onClick={() => setAdding(true)}>
          Add a provider
        </Button>
      }
    >
      <Loaded query={catalog} what="the catalog">
        {({ providers }) => (
          <Table
            caption="Provider catalog"
            columns={columns}
            rows={providers}
            keyOf={({ id }) => id}
            empty={<Empty title="The catalog is empty">Add a provider.</Empty>}
          />
        )}
      </Loaded>
      {isAdding && <NewProviderDialog close={() => setAdding(false)} />}
    </Page>
  )
}

function SyncModels({ entry }: { entry: CatalogEntry }) {
  const operator = useOperator()
  const toast = useToast()
  const sync = async (): Promise<void> => {
    const path = { providerId: entry.id }
    const synced = await operator.request('POST', '/auth/v1/admin/providers/{providerId}/sync-models', { path })
    await queryClient.invalidateQueries({ queryKey: catalogQuery(operator).queryKey })
    toast.show(`${entry.display_name}: models listed ${synced.discovered}, new ${synced.added}.`)
  }
  return (
    <ActionButton aria-label={`Sync models of ${entry.display_name}`} run={sync}>
      Sync models
    </ActionButton>
  )
}
