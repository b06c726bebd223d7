// Says whether the project accepts a token, and why not. The token stays in the field: it is neither stored nor put
// into an address, and the browser must not restore it either.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { TextAreaField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { InspectionResult } from './inspection-result.tsx'
import type { IdentityProvider } from './provider.ts'

const path = '/auth/v1/projects/{projectId}/inspect-token'

type Inspection = ManagementRoutes[`POST ${typeof path}`]['output']

interface InspectTokenProps {
  projectId: string
  provider: IdentityProvider | null
}

export function InspectToken({ projectId, provider }: InspectTokenProps) {
  const [inspection, setInspection] = useState<Inspection | null>(null)
  const submit = async ({ token = '' }: FormValues): Promise<void> => {
    // The result of another token must not stand beside this one, even if this inspection fails.
    setInspection(null)
    setInspection(await request('POST', path, { path: { projectId }, body: { token } }))
  }
  return (
    <Section title="Why is a token rejected?">
      <p className="text-soft">
        Paste a token, minted or of the provider. It is checked as a request’s would be, and neither stored nor logged.
      </p>
      <Form submit={submit} submitLabel="Inspect">
        <TextAreaField name="token" label="Token" rows={4} autoComplete="off" spellCheck={false} required />
      </Form>
      <section aria-label="Result" aria-live="polite" className="flex flex-col gap-4">
        {inspection === null ? (
          <p className="text-soft">The result appears here.</p>
        ) : (
          <InspectionResult inspection={inspection} provider={provider} />
        )}
      </section>
    </Section>
  )
}
