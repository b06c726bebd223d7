// The meter of a tenant: how far it is, its settings, its customers, a test and its end.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { SecretDialog } from '../../ui/dialogs/secret-dialog.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { deleteMeter, type Meter, meterQuery, testMeter } from './meter.ts'
import { MeterCustomers } from './meter-customers.tsx'
import { MeterForm } from './meter-form.tsx'
import { MeterState } from './meter-state.tsx'

export function MeterScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/meter' })
  const mayWrite = useMay(tenantId)('billing:write')
  const meter = useQuery(meterQuery(tenantId))
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Page
      title="Meter"
      lead={
        <>
          Send one event for each request to your billing: Stripe, OpenMeter, Lago or a service of yours.{' '}
          <a href="/docs/meters">About meters</a>
        </>
      }
    >
      {!mayWrite && <RoleHint to="change the meter" />}
      <Loaded query={meter} what="the meter">
        {data => (
          <>
            {data !== null && <Progress tenantId={tenantId} meter={data} mayWrite={mayWrite} />}
            <Section title={data === null ? 'Set it up' : 'Settings'}>
              <MeterForm
                key={data?.updated_at ?? 'new'}
                tenantId={tenantId}
                meter={data}
                mayWrite={mayWrite}
                onSecret={setSecret}
              />
            </Section>
            {data !== null && <MeterCustomers tenantId={tenantId} meter={data} mayWrite={mayWrite} />}
            {data !== null && mayWrite && <DeleteMeter tenantId={tenantId} />}
          </>
        )}
      </Loaded>
      <LastChange tenantId={tenantId} target={tenantId} actions={['meter.put', 'meter.delete', 'meter_subjects.put']} />
      {secret !== null && (
        <SecretDialog
          title="The secret of the meter"
          label="secret"
          text={secret}
          done="I have stored the secret"
          close={() => setSecret(null)}
        >
          Your service verifies the signatures of batches with it. Copy it now: it is shown only here, and only once.
        </SecretDialog>
      )}
    </Page>
  )
}

function Progress({ tenantId, meter, mayWrite }: { tenantId: string; meter: Meter; mayWrite: boolean }) {
  const [result, setResult] = useState('')
  const test = async (): Promise<void> => setResult(await testMeter(tenantId))
  return (
    <Section title="Events">
      <MeterState meter={meter} />
      {mayWrite && (
        <p className="flex flex-wrap items-center gap-3">
          <ActionButton run={test}>Send a test</ActionButton>
          <span role="status" className="text-sm">
            {result}
          </span>
        </p>
      )}
    </Section>
  )
}

function DeleteMeter({ tenantId }: { tenantId: string }) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Delete the meter?',
      body: <p>Events that were not sent yet are deleted, and so are the customers.</p>,
      action: 'Delete it now',
      run: async () => {
        await deleteMeter(tenantId)
        toast.show('The meter is deleted.')
      },
    })
  return (
    <Section title="Delete">
      <p>
        <Button look="danger" onClick={ask}>
          Delete the meter
        </Button>
      </p>
    </Section>
  )
}
