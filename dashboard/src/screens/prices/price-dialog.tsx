// Sets what a model costs the tenant, at once or from a time on.
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { request } from '../../api/management.ts'
import { modelsQuery } from '../../api/queries.ts'
import { orderByUse } from '../../api/usable-models.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { PriceFields } from './price-fields.tsx'
import { readPrices } from './price-values.ts'
import { refreshPrices, type TenantPrice } from './queries.ts'

interface PriceDialogProps {
  tenantId: string
  /** Null for a new one. */
  price: TenantPrice | null
  close: () => void
}

export function PriceDialog({ tenantId, price, close }: PriceDialogProps) {
  const toast = useToast()
  const listId = useId()
  const { data } = useQuery(modelsQuery(tenantId))
  const submit = async (values: FormValues): Promise<void> => {
    const prices = readPrices(values)
    if (prices === undefined) throw new Error('input must be given')
    const model = price?.model ?? (values['model'] ?? '').trim()
    // Another time would be a second price beside this one.
    const from = price?.effective_from ?? null
    const body = { model, ...prices, ...(from === null ? {} : { effective_from: from }) }
    await request('PUT', '/auth/v1/tenants/{tenantId}/prices', { path: { tenantId }, body })
    await refreshPrices(tenantId)
    close()
    toast.show('The price is set.')
  }
  return (
    <Dialog title={price === null ? 'Set a price' : `Change the price of ${price.model}`} onClose={close}>
      <Form submit={submit} submitLabel="Set the price" secondary={<Button onClick={close}>Cancel</Button>}>
        {price === null && (
          <>
            <TextField
              name="model"
              label="Model"
              hint="Its ID, such as openai/gpt-4o."
              list={listId}
              autoComplete="off"
              required
              autoFocus
            />
            <datalist id={listId}>
              {orderByUse(data?.models ?? []).map(({ modelId }) => (
                <option key={modelId} value={modelId} />
              ))}
            </datalist>
          </>
        )}
        <PriceFields prices={price ?? undefined} hasTime={price === null}>
          These replace all list prices of the model. Without their own price, cached tokens cost as much as input, and
          reasoning as much as output.
        </PriceFields>
      </Form>
    </Dialog>
  )
}
