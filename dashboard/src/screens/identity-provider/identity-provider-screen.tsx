// The external identity provider of a project, the state of its keys, and a box that says why a token is rejected.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { request } from '../../api/management.ts'
import { type OneProject, projectQuery, queryClient } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { InspectToken } from './inspect-token.tsx'
import { type IdentityProvider, providerPath, providerQuery } from './provider.ts'
import { ProviderForm } from './provider-form.tsx'

export function IdentityProviderScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/identity-provider' })
  const project = useQuery(projectQuery(projectId))
  return (
    <Loaded query={project} what="the project" pageTitle="Identity provider">
      {data => <IdentityProviderPage key={data.id} project={data} />}
    </Loaded>
  )
}

function IdentityProviderPage({ project }: { project: OneProject }) {
  const projectId = project.id
  const may = useMay(project.tenant_id)
  const mayWrite = may('keys:write')
  const provider = useQuery(providerQuery(projectId))
  return (
    <Page
      title="Identity provider"
      lead={
        <>
          Whose sign-in tokens the project accepts, besides those that your server mints.{' '}
          <a href="/docs/guide-identity-providers">Guide for Clerk, Supabase, Firebase and Auth0</a>
        </>
      }
    >
      {!mayWrite && <RoleHint to="change the provider or inspect a token" />}
      <Loaded query={provider} what="the identity provider">
        {data => (
          <>
            <Section title={data === null ? 'Accept the tokens of a provider' : 'The provider'}>
              <ProviderStatus provider={data} />
              <ProviderForm projectId={projectId} provider={data} mayWrite={mayWrite} />
            </Section>
            {may('tokens:mint') && <InspectToken projectId={projectId} provider={data} />}
            {mayWrite && data !== null && <RemoveProvider projectId={projectId} />}
          </>
        )}
      </Loaded>
      <LastChange
        tenantId={project.tenant_id}
        target={projectId}
        actions={['identity_provider.put', 'identity_provider.delete']}
      />
    </Page>
  )
}

function ProviderStatus({ provider }: { provider: IdentityProvider | null }) {
  if (provider === null) {
    return (
      <p className="text-soft">There is none: the project accepts minted tokens only. It is live without a deploy.</p>
    )
  }
  const { last_synced_at: fetchedAt, last_error: error } = provider
  return (
    <div role="status" className="flex flex-col items-start gap-2">
      {fetchedAt !== null && (
        <p>
          <Badge tone="good">Keys fetched</Badge> <Time iso={fetchedAt} />
        </p>
      )}
      {fetchedAt === null && error === null && (
        <p>
          <Badge tone="warn">Fetching its keys…</Badge> Its tokens are accepted afterwards, usually within 15 seconds.
        </p>
      )}
      {error !== null && (
        <p dir="auto" className="text-danger">
          {`The keys could not be fetched: ${error}. ${fetchedAt === null ? 'No token of the provider is accepted.' : 'The keys fetched before stay in use.'}`}
        </p>
      )}
    </div>
  )
}

function RemoveProvider({ projectId }: { projectId: string }) {
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: 'Remove the identity provider?',
      body: <p>Live at once: every request with a token of the provider is rejected. Minted tokens stay valid.</p>,
      action: 'Remove it now',
      run: async () => {
        const { queryKey } = providerQuery(projectId)
        await request('DELETE', providerPath, { path: { projectId } })
        await queryClient.cancelQueries({ queryKey })
        queryClient.setQueryData(queryKey, null)
      },
    })
  return (
    <Section title="Remove">
      <p>
        <Button look="danger" onClick={ask}>
          Remove the provider
        </Button>
      </p>
    </Section>
  )
}
