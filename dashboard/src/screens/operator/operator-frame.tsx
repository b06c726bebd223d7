// The frame of the operator's screens: asks first for the admin secret, which it keeps in memory only until the
// operator leaves these screens, or whether the own sign-in opens them.
import type { ManagementClient } from '@sallyport/sdk'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { request } from '../../api/management.ts'
import { createOperatorClient, runAsOperator } from '../../api/operator.ts'
import { queryClient } from '../../api/queries.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { type Operator, OperatorContext } from './operator-context.tsx'
import { operatorKey } from './queries.ts'

/** The admin secret, or `session` for the own sign-in. */
type Access = { secret: string } | 'session'

export function OperatorFrame() {
  const [access, setAccess] = useState<Access | null>(null)
  const operator = useMemo<Operator | null>(() => {
    if (access === null) return null
    const isSession = access === 'session'
    return {
      request: isSession ? request : createOperatorClient(access.secret).request,
      isSession,
      forget: () => setAccess(null),
    }
  }, [access])
  // What was read goes with what it was read with.
  useEffect(() => {
    if (access !== null) return () => queryClient.removeQueries({ queryKey: operatorKey })
    return undefined
  }, [access])
  if (operator === null) return <AccessForm onProven={setAccess} />
  return (
    <OperatorContext value={operator}>
      <div className="flex flex-col gap-6">
        <OperatorNavigation forget={operator.forget} />
        <Outlet />
      </div>
    </OperatorContext>
  )
}

/** Headers cannot hold other characters. */
const headerText = /^[\x20-\x7e\xa0-\xff]+$/

/** Fails for who may not read as an operator. */
const prove = (send: ManagementClient['request']) => send('GET', '/v1/admin/killswitch/status')

function AccessForm({ onProven }: { onProven: (access: Access) => void }) {
  const submit = async ({ secret = '' }: FormValues): Promise<void> => {
    if (!headerText.test(secret)) throw new Error('secret must not contain characters outside of Latin-1')
    await prove(createOperatorClient(secret).request)
    onProven({ secret })
  }
  const continueAsSelf = async (): Promise<void> => {
    await runAsOperator(() => prove(request), 'Your account is not an operator of this installation.')
    onProven('session')
  }
  return (
    <Page
      title="Operator"
      lead={
        <>
          All tenants and projects, plans, kill switches, the provider catalog, the usage and the audit of this
          installation. <a href="/docs/access#operators">About operators</a>
        </>
      }
    >
      <Section title="With your own sign-in">
        <p>If your account is an operator, as that of the first user is. What you do is recorded under your name.</p>
        <p>
          <ActionButton look="primary" run={continueAsSelf}>
            Continue as yourself
          </ActionButton>
        </p>
      </Section>
      <Section title="With the admin secret">
        <Form submit={submit} submitLabel="Continue" look="plain">
          <TextField
            name="secret"
            label="Admin secret"
            type="password"
            autoComplete="off"
            hint={
              <>
                <code>ADMIN_SECRET</code>, or the file <code>admin-secret</code> of the data folder. It stays in the
                memory of this page until you leave the operator’s screens.
              </>
            }
            required
          />
        </Form>
      </Section>
    </Page>
  )
}

const linkClass =
  'inline-flex min-h-8 items-center rounded-md px-3 text-sm text-soft no-underline hover:bg-raised aria-[current=page]:bg-accent-tint aria-[current=page]:font-medium aria-[current=page]:text-ink'

function OperatorNavigation({ forget }: { forget: () => void }) {
  const exact = { exact: true, includeSearch: false }
  return (
    <nav aria-label="Operator" className="flex flex-wrap items-center gap-2">
      <Link to="/app/operator/overview" activeOptions={exact} className={linkClass}>
        Overview
      </Link>
      <Link to="/app/operator" activeOptions={exact} className={linkClass}>
        Tenants
      </Link>
      <Link to="/app/operator/projects" activeOptions={exact} className={linkClass}>
        Projects
      </Link>
      <Link to="/app/operator/kill-switches" activeOptions={exact} className={linkClass}>
        Kill switches
      </Link>
      <Link to="/app/operator/catalog" activeOptions={exact} className={linkClass}>
        Provider catalog
      </Link>
      <Link to="/app/operator/usage" activeOptions={exact} className={linkClass}>
        Usage
      </Link>
      <Link to="/app/operator/access" activeOptions={exact} className={linkClass}>
        Access
      </Link>
      <Link to="/app/operator/audit" activeOptions={exact} className={linkClass}>
        Audit
      </Link>
      <Button className="sm:ml-auto" onClick={forget}>
        Sign out as operator
      </Button>
    </nav>
  )
}
