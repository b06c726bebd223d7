// The custom providers of a tenant, as a section: list, delete.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type CustomProvider, type CustomProviderList, customProvidersQuery } from './queries.ts'

interface CustomProvidersProps {
  tenantId: string
  mayWrite: boolean
  /** Not on the free plan. */
  mayStore: boolean
}

export function CustomProviders({ tenantId, mayWrite, mayStore }: CustomProvidersProps) {
  const providers = useQuery(customProvidersQuery(tenantId))
  const actions: Column<CustomProvider> = {
    title: 'Actions',
    cell: provider => <DeleteButton tenantId={tenantId} provider={provider} />,
  }
  return (
    <Section title="Custom providers">
      <p className="max-w-2xl text-soft">
        Servers that speak OpenAI’s chat completions: Ollama, vLLM, Groq and others. Your projects use their models
        beside those of the providers above. <a href="/docs/custom-providers">About custom providers</a>
      </p>
      <p className="max-w-2xl text-soft">
        A server in your own network needs the operator’s permission: for Ollama on this machine, the environment
        variable <code>OUTBOUND_ALLOW=localhost:11434</code> of the Sallyport server, and a restart.
      </p>
      <Loaded query={providers} what="the custom providers">
        {({ data }) => (
          <Table
            caption="Custom providers"
            columns={[nameColumn(tenantId), ...columns, ...(mayWrite ? [actions] : [])]}
            rows={data}
            keyOf={({ slug }) => slug}
            empty={
              <Empty title="No custom providers">
                {mayStore && (
                  <>
                    <p>Add the address of a server, then choose one of its models in a project.</p>
                    <AddLinks tenantId={tenantId} list={providers.data} />
                  </>
                )}
                {!mayStore && mayWrite && 'They need the pro plan, as provider keys do.'}
                {!mayWrite && 'Your role cannot add one.'}
              </Empty>
            }
          />
        )}
      </Loaded>
      {mayStore && providers.data?.data.length !== 0 && <AddLinks tenantId={tenantId} list={providers.data} />}
    </Section>
  )
}

function AddLinks({ tenantId, list }: { tenantId: string; list: CustomProviderList | undefined }) {
  return (
    <p className="flex flex-wrap gap-2">
      {localPresets(list).map(({ slug, display_name: name }) => (
        <Link
          key={slug}
          to="/app/tenants/$tenantId/provider-keys/new-custom"
          params={{ tenantId }}
          search={{ preset: slug }}
          className={buttonClass()}
        >
          Add {name}
        </Link>
      ))}
      <Link to="/app/tenants/$tenantId/provider-keys/new-custom" params={{ tenantId }} className={buttonClass()}>
        Add a custom provider
      </Link>
    </p>
  )
}

/** Servers without a key, such as Ollama, that the tenant does not have yet. */
function localPresets(read: CustomProviderList | undefined): CustomProviderList['presets'] {
  if (read === undefined) return []
  return read.presets.filter(({ slug, needs_key }) => !needs_key && !read.data.some(stored => stored.slug === slug))
}

const nameColumn = (tenantId: string): Column<CustomProvider> => ({
  title: 'Provider',
  cell: ({ slug, display_name: name, provider_type: type }) => (
    <>
      <Link to="/app/tenants/$tenantId/provider-keys/custom/$slug" params={{ tenantId, slug }}>
        <bdi>{name}</bdi>
      </Link>
      <br />
      <code className="text-sm text-soft">{type}/</code>
    </>
  ),
})

const columns: Column<CustomProvider>[] = [
  { title: 'Base URL', cell: ({ base_url }) => <code className="text-sm">{base_url}</code> },
  { title: 'Key', cell: ({ api_key_hint: hint }) => (hint === null ? 'None' : <code>{hint}</code>) },
  { title: 'Models', isNumber: true, cell: ({ models }) => formatCount(models.length) },
  { title: 'Projects using it', isNumber: true, cell: ({ projects_using_count: count }) => formatCount(count) },
]

function DeleteButton({ tenantId, provider }: { tenantId: string; provider: CustomProvider }) {
  const confirm = useConfirm()
  const toast = useToast()
  const { slug, display_name: name } = provider
  const remove = () =>
    confirm({
      title: 'Delete the custom provider?',
      body: (
        <p>
          <bdi>“{name}”</bdi>, its key and its models disappear at once. It is not deleted while a project names one of
          its models: deployed, in the draft or in a tier.
        </p>
      ),
      action: 'Delete provider',
      run: async () => {
        const path = { tenantId, slug }
        await request('DELETE', '/auth/v1/tenants/{tenantId}/providers/custom/{slug}', { path })
        await queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
        toast.show('The provider is deleted.')
      },
    })
  return (
    <Button aria-label={`Delete ${name}`} onClick={remove}>
      Delete
    </Button>
  )
}
