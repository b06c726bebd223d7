// The frame of the operator's screens: asks for the admin secret first, and keeps it in memory only, until the operator
// leaves these screens.
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { createOperatorClient } from '../../api/operator.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { type Operator, OperatorContext } from './operator-context.tsx'
import { operatorKey } from './queries.ts'

export function OperatorFrame() {
  const [secret, setSecret] = useState<string | null>(null)
  const operator = useMemo<Operator | null>(() => {
    if (secret === null) return null
    return { request: createOperatorClient(secret).request, forget: () => setSecret(null) }
  }, [secret])
  // What was read with the secret goes with it.
  useEffect(() => {
    if (secret !== null) return () => queryClient.removeQueries({ queryKey: operatorKey })
    return undefined
  }, [secret])
  if (operator === null) return <SecretForm onProven={setSecret} />
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

function SecretForm({ onProven }: { onProven: (secret: string) => void }) {
  const submit = async ({ secret = '' }: FormValues): Promise<void> => {
    if (!headerText.test(secret)) throw new Error('secret must not contain characters outside of Latin-1')
    await createOperatorClient(secret).request('GET', '/v1/admin/killswitch/status')
    onProven(secret)
  }
  return (
    <Page
      title="Operator"
      lead={
        <>
          All tenants and projects, plans, kill switches, the provider catalog and the usage of this installation.{' '}
          <a href="/docs/account-and-projects#see-all-tenants-as-the-operator">About operators</a>
        </>
      }
    >
      <Form submit={submit} submitLabel="Continue">
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
      <Button className="sm:ml-auto" onClick={forget}>
        Sign out as operator
      </Button>
    </nav>
  )
}
