// What each project and each model of a tenant cost, the dearest first.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { Cost, TotalCost } from '../prices/cost.tsx'
import { modelsIn, type NamedSums, type ProjectUsage, sumsOfModels, sumsOfProjects } from './tenant-usage.ts'

const maxShown = 8

export function ProjectCosts({ tenantId, usage }: { tenantId: string; usage: readonly ProjectUsage[] }) {
  return (
    <Costs
      caption="Cost by project"
      title="Project"
      rows={sumsOfProjects(usage)}
      costOf={({ key, cost_usd: usd }) => (
        <TotalCost tenantId={tenantId} usd={usd} models={modelsIn(usage.filter(({ id }) => id === key))} />
      )}
      nameOf={({ key, name }) => (
        <Link to="/app/projects/$projectId" params={{ projectId: key }}>
          <bdi>{name}</bdi>
        </Link>
      )}
    />
  )
}

export function ModelCosts({ tenantId, usage }: { tenantId: string; usage: readonly ProjectUsage[] }) {
  return (
    <Costs
      caption="Cost by model"
      title="Model"
      rows={sumsOfModels(usage)}
      nameOf={({ name }) => <bdi>{name}</bdi>}
      costOf={({ key, total_tokens: tokens, cost_usd: usd }) => (
        <Cost tenantId={tenantId} model={key} tokens={tokens} usd={usd} />
      )}
    />
  )
}

interface CostsProps {
  caption: string
  title: string
  rows: readonly NamedSums[]
  nameOf: (row: NamedSums) => ReactNode
  costOf: (row: NamedSums) => ReactNode
}

function Costs({ caption, title, rows, nameOf, costOf }: CostsProps) {
  const columns: Column<NamedSums>[] = [
    { title, cell: nameOf },
    { title: 'Requests', isNumber: true, cell: row => formatCount(row.requests) },
    { title: 'Tokens', isNumber: true, isMinor: true, cell: row => formatCount(row.total_tokens) },
    { title: 'Cost', isNumber: true, cell: costOf },
  ]
  return (
    <Card title={caption} aside={rows.length > maxShown ? `${maxShown} of ${rows.length}` : undefined}>
      <Table
        caption={caption}
        isSmall
        columns={columns}
        rows={rows.slice(0, maxShown)}
        keyOf={({ key }) => key}
        empty={<p className="text-soft">Nothing was used in this period.</p>}
      />
    </Card>
  )
}
