// The provider keys of a tenant: list, add, replace, remove; its clouds and custom providers as sections. A key is
// checked with its provider before it is stored.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { providersQuery } from '../../api/queries.ts'
import { useMay, useUser } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useLastChanges } from '../audit/last-changes.tsx'
import { CloudList, type ProviderKey } from './cloud-list.tsx'
import { isCloud } from './clouds.ts'
import { CustomProviders } from './custom-providers.tsx'
import { FreePlan } from './free-plan.tsx'
import { ProviderKeyForm } from './provider-key-form.tsx'
import { nameOfProvider } from './provider-names.ts'
import { useRemoveKey } from './remove-key.tsx'

export function ProviderKeysScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/provider-keys' })
  const keys = useQuery(providersQuery(tenantId))
  const mayWrite = useMay(tenantId)('providers:write')
  const isPro = useUser().tenants.find(({ id }) => id === tenantId)?.plan === 'pro'
  const mayStore = mayWrite && isPro
  const [form, setForm] = useState<{ provider?: string } | null>(null)
  const replace = mayStore ? (provider: string) => setForm({ provider }) : null
  const changes = useLastChanges({
    tenantId,
    actions: ['provider.put'],
    rows: keys.data !== undefined && 'providers' in keys.data ? keys.data.providers : [],
    idOf: key => key.provider_type,
  })
  const columns = [...shownColumns, ...changes, ...(mayWrite ? [actionColumn(tenantId, replace)] : [])]
  return (
    <Page
      title="Provider keys"
      lead={
        <>
          With your own key of a provider, your projects can use all its models, at your account’s cost.{' '}
          <a href="/docs/providers">About providers</a>
        </>
      }
      actions={
        mayStore && (
          <Button look="primary" onClick={() => setForm({})}>
            Add key
          </Button>
        )
      }
    >
      {isPro ? (
        <p className="text-soft">Pro plan: one key for each provider. All projects of the tenant share it.</p>
      ) : (
        <FreePlan tenantId={tenantId} mayWrite={mayWrite} />
      )}
      <Loaded query={keys} what="the provider keys">
        {list => {
          const all = 'providers' in list ? list.providers : []
          return (
            <>
              <Table
                caption="Provider keys"
                columns={columns}
                rows={all.filter(key => !isCloud(key.provider_type))}
                keyOf={key => key.provider_type}
                empty={<NoKeys mayStore={mayStore} />}
              />
              <CloudList tenantId={tenantId} keys={all} mayWrite={mayWrite} mayStore={mayStore} />
            </>
          )
        }}
      </Loaded>
      <CustomProviders tenantId={tenantId} mayWrite={mayWrite} mayStore={mayStore} />
      {form !== null && <KeyDialog tenantId={tenantId} {...form} close={() => setForm(null)} />}
    </Page>
  )
}

const shownColumns: Column<ProviderKey>[] = [
  { title: 'Provider', cell: key => nameOfProvider(key.provider_type) },
  { title: 'Ends with', cell: key => <code>…{key.key_last4}</code> },
  { title: 'Stored', cell: key => <Time iso={key.key_set_at} /> },
  { title: 'Projects using it', isNumber: true, cell: key => formatCount(key.projects_using_count) },
]

function actionColumn(tenantId: string, replace: ((provider: string) => void) | null): Column<ProviderKey> {
  return {
    title: 'Actions',
    cell: ({ provider_type: provider, projects_using_count: count }) => (
      <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
        {replace !== null && (
          <Button aria-label={`Replace the ${nameOfProvider(provider)} key`} onClick={() => replace(provider)}>
            Replace
          </Button>
        )}
        <RemoveButton tenantId={tenantId} provider={provider} count={count} />
      </div>
    ),
  }
}

function RemoveButton({ tenantId, provider, count }: { tenantId: string; provider: string; count: number }) {
  const remove = useRemoveKey(tenantId)
  return (
    <Button aria-label={`Remove the ${nameOfProvider(provider)} key`} onClick={() => remove(provider, count)}>
      Remove
    </Button>
  )
}

function NoKeys({ mayStore }: { mayStore: boolean }) {
  return (
    <Empty title="No provider keys">
      {mayStore
        ? 'Add the key of a provider, then choose one of its models in a project.'
        : 'Projects answer with the default model of the installation, if the operator set one.'}
    </Empty>
  )
}

interface KeyDialogProps {
  tenantId: string
  provider?: string
  close: () => void
}

function KeyDialog({ tenantId, provider, close }: KeyDialogProps) {
  const isNew = provider === undefined
  return (
    <Dialog title={isNew ? 'New provider key' : `Replace the ${nameOfProvider(provider)} key`} onClose={close}>
      {!isNew && (
        <p className="mb-4">
          The old key stays in use until the new one has been checked and stored; then requests use the new one.
        </p>
      )}
      <ProviderKeyForm
        tenantId={tenantId}
        {...(isNew ? {} : { provider })}
        notice={isNew ? 'The key is stored. Choose a model in a project.' : 'The key is replaced.'}
        onStored={close}
        secondary={<Button onClick={close}>Cancel</Button>}
      />
    </Dialog>
  )
}
