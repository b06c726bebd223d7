// A custom provider of the tenant: a new one from a preset, and a stored one with its models.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { SelectField } from '../../ui/fields.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { CustomProviderForm } from './custom-provider-form.tsx'
import { ModelList } from './model-list.tsx'
import { toInput } from './model-values.ts'
import { type CustomProvider, customProvidersQuery, type Preset } from './queries.ts'
import { Writable } from './writable.tsx'

export function NewCustomProviderScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/provider-keys/new-custom' })
  const providers = useQuery(customProvidersQuery(tenantId))
  return (
    <Page title="New custom provider" lead={<Lead tenantId={tenantId} />}>
      <Writable tenantId={tenantId}>
        <Loaded query={providers} what="the presets">
          {({ data, presets }) => (
            <NewProvider tenantId={tenantId} presets={presets} taken={data.map(({ slug }) => slug)} />
          )}
        </Loaded>
      </Writable>
    </Page>
  )
}

function Lead({ tenantId }: { tenantId: string }) {
  return (
    <>
      A server that speaks OpenAI’s chat completions, with models of your own.{' '}
      <a href="/docs/custom-providers">About custom providers</a> ·{' '}
      <Link to="/app/tenants/$tenantId/provider-keys" params={{ tenantId }}>
        All providers
      </Link>
    </>
  )
}

interface NewProviderProps {
  tenantId: string
  presets: Preset[]
  taken: readonly string[]
}

function NewProvider({ tenantId, presets, taken }: NewProviderProps) {
  const { preset: wanted = '' } = useSearch({ from: '/app/tenants/$tenantId/provider-keys/new-custom' })
  const [chosen, setChosen] = useState(wanted)
  const preset = presets.find(({ slug }) => slug === chosen) ?? null
  return (
    <>
      <div className="max-w-xl">
        <SelectField
          name="preset"
          label="Server"
          hint="Fills in the fields below."
          value={preset?.slug ?? ''}
          onValue={setChosen}
        >
          <option value="">Another server</option>
          {presets.map(({ slug, display_name: name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <CustomProviderForm key={preset?.slug ?? ''} tenantId={tenantId} provider={null} preset={preset} taken={taken} />
    </>
  )
}

export function CustomProviderScreen() {
  const { tenantId, slug } = useParams({ from: '/app/tenants/$tenantId/provider-keys/custom/$slug' })
  const providers = useQuery(customProvidersQuery(tenantId))
  return (
    <Loaded query={providers} what="the provider" pageTitle="Custom provider">
      {({ data }) => <OneProvider tenantId={tenantId} found={data.find(provider => provider.slug === slug)} />}
    </Loaded>
  )
}

function OneProvider({ tenantId, found }: { tenantId: string; found: CustomProvider | undefined }) {
  // What the form began with: it stays while the list is read again.
  const [provider] = useState(found)
  if (provider === undefined) {
    return (
      <Page title="Custom provider" lead={<Lead tenantId={tenantId} />}>
        <Empty title="No such provider">It may have been deleted.</Empty>
      </Page>
    )
  }
  return (
    <Page title={provider.display_name} lead={<Lead tenantId={tenantId} />}>
      <p>
        <code>{provider.base_url}</code>, stored <Time iso={provider.updated_at} />. The IDs of its models begin with{' '}
        <code>{provider.provider_type}/</code>.
      </p>
      <Section title="Models">
        <ModelList models={provider.models.map(toInput)} />
      </Section>
      <Section title="Change the provider">
        <Writable tenantId={tenantId}>
          <p className="max-w-2xl text-soft">
            What you store here replaces the whole provider, after a check with the server. Until then, requests use
            what is stored now.
          </p>
          {found?.updated_at !== provider.updated_at && (
            <p role="status" className="text-warn">
              Somebody else changed or deleted this provider. What you store replaces theirs.
            </p>
          )}
          <CustomProviderForm tenantId={tenantId} provider={provider} preset={null} taken={[]} />
        </Writable>
      </Section>
    </Page>
  )
}
