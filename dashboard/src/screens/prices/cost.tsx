// What a model cost. Usage without a price costs nothing: such an amount says so, in place of nothing.
import { useQuery } from '@tanstack/react-query'
import { modelsQuery, projectQuery } from '../../api/queries.ts'
import { formatUsd } from '../../ui/numbers.ts'

interface CostProps {
  /** One of both. */
  projectId?: string
  tenantId?: string
  model: string | null
  tokens: number
  usd: number
}

/** Prices change rarely, and a table has many costs. */
const staleTime = 60_000

export function Cost({ projectId = '', tenantId, model, tokens, usd }: CostProps) {
  const mayLackPrice = usd === 0 && tokens > 0 && model !== null
  const project = useQuery({ ...projectQuery(projectId), staleTime, enabled: mayLackPrice && tenantId === undefined })
  const owner = tenantId ?? project.data?.tenant_id
  const { data } = useQuery({ ...modelsQuery(owner ?? ''), staleTime, enabled: mayLackPrice && owner !== undefined })
  const prices = data?.models.find(({ modelId }) => modelId === model)?.prices
  const isUnknown = mayLackPrice && prices !== undefined && (prices.input === null || prices.output === null)
  return isUnknown ? 'Price unknown' : formatUsd(usd)
}
