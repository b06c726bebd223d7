// The accounts whose sign-in opens the operator's screens and routes: list, add, remove.
import { useInfiniteQuery } from '@tanstack/react-query'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useOperator } from './operator-context.tsx'
import { type ListedOperator, operatorsQuery, refreshOperators } from './queries.ts'

export function Operators() {
  const operators = useInfiniteQuery(operatorsQuery(useOperator()))
  return (
    <Section title="Operators">
      <Loaded query={operators} what="the operators">
        {({ pages }) => (
          <Table
            caption="Operators"
            columns={columns}
            rows={pages.flatMap(({ data }) => data)}
            keyOf={({ id }) => id}
            empty={<Empty title="No operators">Only the admin secret opens the operator’s screens.</Empty>}
          />
        )}
      </Loaded>
      {operators.hasNextPage && (
        <p>
          <ActionButton run={() => operators.fetchNextPage({ throwOnError: true })}>More operators</ActionButton>
        </p>
      )}
      <AddOperator />
    </Section>
  )
}

const columns: Column<ListedOperator>[] = [
  { title: 'Email', cell: ({ email }) => <bdi>{email}</bdi> },
  { title: 'Added', cell: ({ created_at }) => <Time iso={created_at} /> },
  { title: 'Added by', cell: ({ created_by }) => <bdi>{created_by}</bdi> },
  { title: 'Actions', cell: operator => <RemoveOperator listed={operator} /> },
]

function AddOperator() {
  const operator = useOperator()
  const toast = useToast()
  const submit = async ({ email = '' }: FormValues): Promise<void> => {
    const added = await operator.request('POST', '/v1/admin/operators', { body: { email } })
    await refreshOperators()
    toast.show(`${added.email} is an operator.`)
  }
  return (
    <Form submit={submit} submitLabel="Add operator">
      <TextField
        name="email"
        label="Email of the account"
        type="email"
        autoComplete="off"
        hint="The account must exist. From then on only operators can reset it, and the owners of its tenants cannot."
        required
      />
    </Form>
  )
}

function RemoveOperator({ listed: { id, email } }: { listed: ListedOperator }) {
  const operator = useOperator()
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Remove the operator?',
      body: (
        <p>
          The sign-in of <bdi>{email}</bdi> no longer opens the operator’s screens and routes. The account and its
          memberships stay.
        </p>
      ),
      action: 'Remove operator',
      run: async () => {
        await operator.request('DELETE', '/v1/admin/operators/{userId}', { path: { userId: id } })
        await refreshOperators()
        toast.show(`${email} is no longer an operator.`)
      },
    })
  return (
    <Button aria-label={`Remove ${email}`} onClick={ask}>
      Remove
    </Button>
  )
}
