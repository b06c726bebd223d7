// The single sign-on of a tenant: a test that says what is wrong with an issuer, the set-up itself, and its removal.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMay } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { connectionQuery, deleteConnection } from './connection.ts'
import { ConnectionForm } from './connection-form.tsx'

export function SingleSignOnScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/single-sign-on' })
  const mayWrite = useMay(tenantId)('sso:write')
  const connection = useQuery(connectionQuery(tenantId))
  return (
    <Page
      title="Single sign-on"
      lead={
        <>
          People of the tenant sign in through your company’s identity provider.{' '}
          <a href="/docs/guide-single-sign-on">Guide for Entra, Google, Okta and Keycloak</a>
        </>
      }
    >
      {!mayWrite && <RoleHint to="change the single sign-on" />}
      <Loaded query={connection} what="the single sign-on">
        {data => (
          <>
            <Section title="Register Sallyport at the identity provider">
              <p>As a web application with a client secret, and with this redirect URI:</p>
              <Copyable label="redirect URI" text={`${location.origin}/auth/v1/sso/callback`} />
              {data !== null && (
                <>
                  <p>People enter their email on the sign-in page, or follow this link:</p>
                  <Copyable label="sign-in link" text={`${location.origin}/auth/v1/sso/start?tenant=${tenantId}`} />
                </>
              )}
            </Section>
            <Section title={data === null ? 'Set it up' : 'The identity provider'}>
              <ConnectionForm
                key={data?.updated_at ?? 'new'}
                tenantId={tenantId}
                connection={data}
                mayWrite={mayWrite}
              />
            </Section>
            {mayWrite && data !== null && <RemoveConnection tenantId={tenantId} />}
          </>
        )}
      </Loaded>
      <LastChange tenantId={tenantId} target={tenantId} actions={['sso.put', 'sso.delete']} />
    </Page>
  )
}

function RemoveConnection({ tenantId }: { tenantId: string }) {
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: 'Remove the single sign-on?',
      body: (
        <p>
          The sessions that it opened end at once. People who have no password need a reset link from an owner of the
          tenant.
        </p>
      ),
      action: 'Remove it now',
      run: () => deleteConnection(tenantId),
    })
  return (
    <Section title="Remove">
      <p>
        <Button look="danger" onClick={ask}>
          Remove the single sign-on
        </Button>
      </p>
    </Section>
  )
}
