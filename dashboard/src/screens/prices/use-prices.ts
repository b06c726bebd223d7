// The prices of the models that a tenant may use, read only where an amount may lack one.
import { useQuery } from '@tanstack/react-query'
import { modelsQuery, projectQuery } from '../../api/queries.ts'
import type { UsableModel } from '../../api/usable-models.ts'

/** One of both. */
export interface PriceOwner {
  projectId?: string
  tenantId?: string
}

/** Prices change rarely, and a table has many costs. */
const staleTime = 60_000

/** Returns whether a model has no price: false as long as nothing is known of it. */
export function useUnknownPrices(
  { projectId = '', tenantId }: PriceOwner,
  enabled: boolean,
): (model: string | null) => boolean {
  const project = useQuery({ ...projectQuery(projectId), staleTime, enabled: enabled && tenantId === undefined })
  const owner = tenantId ?? project.data?.tenant_id
  const { data } = useQuery({ ...modelsQuery(owner ?? ''), staleTime, enabled: enabled && owner !== undefined })
  return model => {
    const prices: UsableModel['prices'] | undefined = data?.models.find(({ modelId }) => modelId === model)?.prices
    return prices !== undefined && (prices.input === null || prices.output === null)
  }
}
