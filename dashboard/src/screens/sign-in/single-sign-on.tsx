// Leads from the sign-in to an identity provider: that of the email's domain, or the installation's own.
import { useQuery } from '@tanstack/react-query'
import { requestWithoutSession } from '../../api/management.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'

const optionsQuery = {
  queryKey: ['sign-on-options'],
  queryFn: () => requestWithoutSession('GET', '/auth/v1/sso'),
}

/** Comes back to the address that was asked for. */
function begin(start: string): void {
  const url = new URL(start, location.origin)
  url.searchParams.set('return_to', location.pathname + location.search)
  location.assign(url)
}

/** For a session that an identity provider opened: there is no password to ask for. */
export function SignOnAgain({ start }: { start: string }) {
  return (
    <div className="flex flex-col gap-3">
      <p>Your identity provider asks you to sign in again, and brings you back here. What you typed is lost.</p>
      <p>
        <Button look="primary" onClick={() => begin(start)}>
          Sign in again with single sign-on
        </Button>
      </p>
    </div>
  )
}

async function byEmail({ work_email: email = '' }: FormValues): Promise<void> {
  begin(`/auth/v1/sso/start?${new URLSearchParams({ email })}`)
}

export function SingleSignOn() {
  const { data } = useQuery(optionsQuery)
  return (
    <section aria-label="Single sign-on" className="flex flex-col gap-4 border-t border-line pt-6">
      {data?.installation === true && (
        <p>
          <Button onClick={() => begin('/auth/v1/sso/start')}>Sign in with single sign-on</Button>
        </p>
      )}
      <Form submit={byEmail} submitLabel="Continue" look="plain">
        <TextField
          name="work_email"
          label="Work email"
          type="email"
          autoComplete="email"
          hint="If your company signs in through its identity provider."
          required
        />
      </Form>
    </section>
  )
}
