// The customers that the subjects of a meter stand for: a list, and a form that sets one.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ActionButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { type Customer, customersQuery, type Meter, putCustomer } from './meter.ts'

interface MeterCustomersProps {
  tenantId: string
  meter: Meter
  mayWrite: boolean
}

const subjects = { uid: 'End user (uid)', tier: 'Tier', project: 'Project (slug)' }

export function MeterCustomers({ tenantId, meter, mayWrite }: MeterCustomersProps) {
  const { cursor } = useSearch({ from: '/app/tenants/$tenantId/meter' })
  const navigate = useNavigate({ from: '/app/tenants/$tenantId/meter' })
  const customers = useQuery(customersQuery(tenantId, cursor))
  const title = subjects[meter.subject]
  const columns: Column<Customer>[] = [
    { title, cell: ({ subject }) => <bdi className="break-words">{subject}</bdi> },
    { title: 'Customer', cell: ({ customer }) => <bdi className="break-words">{customer}</bdi> },
  ]
  const remove: Column<Customer> = {
    title: 'Actions',
    cell: ({ subject }) => (
      <ActionButton aria-label={`Remove the customer of ${subject}`} run={() => putCustomer(tenantId, subject, null)}>
        Remove
      </ActionButton>
    ),
  }
  return (
    <Section title="Customers">
      <p>Events of these names are sent for the customer beside them. Others keep their own name.</p>
      {mayWrite && <CustomerForm tenantId={tenantId} label={title} />}
      <Loaded query={customers} what="the customers">
        {({ data, next_cursor: next }) => (
          <>
            <Table
              caption="Customers"
              columns={mayWrite ? [...columns, remove] : columns}
              rows={data}
              keyOf={({ subject }) => subject}
              empty={<Empty title="No customers">Every event has its own name.</Empty>}
            />
            <Pager
              cursor={cursor}
              next={next}
              go={to => void navigate({ search: to === undefined ? {} : { cursor: to } })}
            />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function CustomerForm({ tenantId, label }: { tenantId: string; label: string }) {
  const submit = (values: FormValues): Promise<void> =>
    putCustomer(tenantId, (values['subject'] ?? '').trim(), (values['customer'] ?? '').trim())
  return (
    <Form submit={submit} submitLabel="Set customer" look="plain" isResetAfterwards>
      <TextField name="subject" label={label} autoComplete="off" maxLength={255} required />
      <TextField
        name="customer"
        label="Customer"
        hint="As the billing system knows it, such as cus_NciAYcXfLnqBoz."
        autoComplete="off"
        maxLength={255}
        required
      />
    </Form>
  )
}
