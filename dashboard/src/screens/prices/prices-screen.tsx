// The prices that a tenant has set for models, in place of list prices: set, change, delete.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { formatPrice } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { PriceDialog } from './price-dialog.tsx'
import { pricesQuery, refreshPrices, type TenantPrice } from './queries.ts'

export function PricesScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/prices' })
  const prices = useQuery(pricesQuery(tenantId))
  const mayWrite = useMay(tenantId)('billing:write')
  /** Null for a new price; undefined while the dialog is closed. */
  const [edited, setEdited] = useState<TenantPrice | null>()
  const actions: Column<TenantPrice> = {
    title: 'Actions',
    cell: price => (
      <div className="flex flex-wrap gap-2 min-[1400px]:flex-nowrap">
        <Button aria-label={`Change the price of ${nameOf(price)}`} onClick={() => setEdited(price)}>
          Change
        </Button>
        <DeleteButton tenantId={tenantId} price={price} />
      </div>
    ),
  }
  return (
    <Page
      title="Prices"
      lead={
        <>
          What models cost you, where you do not pay the list price, in USD for a million tokens. Costs and budgets
          follow it from the next request on. <a href="/docs/money">About prices</a>
        </>
      }
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => setEdited(null)}>
            Set a price
          </Button>
        )
      }
    >
      <Loaded query={prices} what="the prices">
        {({ data }) => (
          <Table
            caption="Prices"
            columns={[...columns, ...(mayWrite ? [actions] : [])]}
            rows={data}
            fileName="prices"
            keyOf={({ model, effective_from: from }) => `${model} ${from}`}
            empty={<Empty title="No prices of your own">Usage costs the list prices of the models.</Empty>}
          />
        )}
      </Loaded>
      <LastChange tenantId={tenantId} target={tenantId} actions={['price.put', 'price.delete']} />
      {edited !== undefined && <PriceDialog tenantId={tenantId} price={edited} close={() => setEdited(undefined)} />}
    </Page>
  )
}

/** A model may have several prices, each from a time on. */
const nameOf = ({ model, effective_from: from }: TenantPrice): string =>
  from === null ? model : `${model} from ${from}`

const priceColumn = (title: string, of: (price: TenantPrice) => number | null): Column<TenantPrice> => ({
  title,
  isNumber: true,
  value: of,
  cell: price => {
    const usd = of(price)
    return usd === null ? '–' : formatPrice(usd)
  },
})

const columns: Column<TenantPrice>[] = [
  { title: 'Model', value: ({ model }) => model, cell: ({ model }) => <code className="text-sm">{model}</code> },
  priceColumn('Input', ({ input }) => input),
  priceColumn('Cache read', ({ cached_input }) => cached_input),
  priceColumn('Cache write', ({ cache_write }) => cache_write),
  priceColumn('Output', ({ output }) => output),
  priceColumn('Reasoning', ({ reasoning }) => reasoning),
  {
    title: 'In force from',
    value: price => price.effective_from,
    cell: ({ effective_from: from }) => (from === null ? 'Always' : <Time iso={from} />),
  },
]

function DeleteButton({ tenantId, price }: { tenantId: string; price: TenantPrice }) {
  const confirm = useConfirm()
  const toast = useToast()
  const { model, effective_from: from } = price
  const remove = () =>
    confirm({
      title: 'Delete the price?',
      body: (
        <p>
          {from === null ? 'All prices that you have set for ' : 'The price from this time on for '}
          <code>{model}</code>{' '}
          {from === null
            ? 'are deleted: it costs the list price again, from the next request on.'
            : 'is deleted: it costs what it cost before.'}
        </p>
      ),
      action: 'Delete price',
      run: async () => {
        const query = { model, ...(from === null ? {} : { effective_from: from }) }
        await request('DELETE', '/auth/v1/tenants/{tenantId}/prices', { path: { tenantId }, query })
        await refreshPrices(tenantId)
        toast.show('The price is deleted.')
      },
    })
  return (
    <Button aria-label={`Delete the price of ${nameOf(price)}`} onClick={remove}>
      Delete
    </Button>
  )
}
