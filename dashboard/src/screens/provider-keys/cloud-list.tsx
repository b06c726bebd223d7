// The clouds of a tenant, as a section: which of them are configured, with links to their forms.
import type { ManagementRoutes } from '@sallyport/sdk'
import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../../ui/button.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Section } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { type Cloud, cloudSlugs, clouds } from './clouds.ts'
import { useRemoveKey } from './remove-key.tsx'

type KeyList = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/providers']['output']
export type ProviderKey = Extract<KeyList, { providers: unknown }>['providers'][number]

interface CloudListProps {
  tenantId: string
  keys: readonly ProviderKey[]
  mayWrite: boolean
  /** Not on the free plan. */
  mayStore: boolean
}

interface CloudRow {
  cloud: Cloud
  /** Null if the tenant has not configured it. */
  stored: ProviderKey | null
}

export function CloudList({ tenantId, keys, mayWrite, mayStore }: CloudListProps) {
  const rows = cloudSlugs.map(cloud => ({
    cloud,
    stored: keys.find(({ provider_type }) => provider_type === cloud) ?? null,
  }))
  const actions: Column<CloudRow> = {
    title: 'Actions',
    cell: row => <CloudActions tenantId={tenantId} row={row} mayWrite={mayWrite} mayStore={mayStore} />,
  }
  return (
    <Section title="Clouds">
      <p className="max-w-2xl text-soft">
        Models in your own account of Azure, AWS or Google Cloud. <a href="/docs/cloud-providers">About the clouds</a>
      </p>
      <Table
        caption="Clouds"
        columns={[...columns, ...(mayStore || rows.some(({ stored }) => stored !== null) ? [actions] : [])]}
        rows={rows}
        keyOf={({ cloud }) => cloud}
        empty={null}
      />
    </Section>
  )
}

const columns: Column<CloudRow>[] = [
  { title: 'Cloud', cell: ({ cloud }) => clouds[cloud].name },
  { title: 'Credential', cell: ({ stored }) => (stored === null ? 'None' : <code>…{stored.key_last4}</code>) },
  { title: 'Stored', cell: ({ stored }) => <Time iso={stored?.key_set_at ?? null} /> },
  { title: 'Projects using it', isNumber: true, cell: ({ stored }) => formatCount(stored?.projects_using_count ?? 0) },
]

interface CloudActionsProps {
  tenantId: string
  row: CloudRow
  mayWrite: boolean
  mayStore: boolean
}

function CloudActions({ tenantId, row: { cloud, stored }, mayWrite, mayStore }: CloudActionsProps) {
  const remove = useRemoveKey(tenantId)
  const { name } = clouds[cloud]
  if (stored === null && !mayStore) return null
  return (
    <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
      <Link
        to="/app/tenants/$tenantId/provider-keys/clouds/$cloud"
        params={{ tenantId, cloud }}
        aria-label={`${stored === null ? 'Configure' : 'Show'} ${name}`}
        className={buttonClass()}
      >
        {stored === null ? 'Configure' : 'Show'}
      </Link>
      {stored !== null && mayWrite && (
        <Button aria-label={`Delete ${name}`} onClick={() => remove(cloud, stored.projects_using_count)}>
          Delete
        </Button>
      )}
    </div>
  )
}
