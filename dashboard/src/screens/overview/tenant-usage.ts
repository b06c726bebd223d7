// The usage of several projects, added up.
import type { Series } from '../../ui/charts/series.ts'
import type { UsageRow } from './queries.ts'

export interface ProjectUsage {
  id: string
  name: string
  days: readonly UsageRow[]
  models: readonly UsageRow[]
}

type Sums = Pick<UsageRow, 'requests' | 'total_tokens' | 'cost_usd'>

export interface NamedSums extends Sums {
  key: string
  name: string
}

export const sumOf = (rows: readonly Sums[]): Sums => ({
  requests: rows.reduce((sum, row) => sum + row.requests, 0),
  total_tokens: rows.reduce((sum, row) => sum + row.total_tokens, 0),
  cost_usd: rows.reduce((sum, row) => sum + row.cost_usd, 0),
})

/** What the cost of the projects is made of. */
export const modelsIn = (usage: readonly ProjectUsage[]) =>
  usage.flatMap(({ models }) => models).map(({ model, total_tokens: tokens }) => ({ model, tokens }))

const byCost = (a: Sums, b: Sums): number => b.cost_usd - a.cost_usd || b.requests - a.requests

export const sumsOfProjects = (usage: readonly ProjectUsage[]): NamedSums[] =>
  usage.map(({ id, name, days }) => ({ key: id, name, ...sumOf(days) })).sort(byCost)

export function sumsOfModels(usage: readonly ProjectUsage[]): NamedSums[] {
  const byModel = Map.groupBy(
    usage.flatMap(({ models }) => models),
    ({ model }) => model ?? 'None',
  )
  return [...byModel].map(([model, rows]) => ({ key: model, name: model, ...sumOf(rows) })).sort(byCost)
}

const tones = ['accent', 'teal', 'warn', 'good'] as const

/** The projects that cost most have colours of their own; the rest share one. */
export function seriesOf(usage: readonly ProjectUsage[]): Series<string>[] {
  const ranked = [...usage].sort((a, b) => byCost(sumOf(a.days), sumOf(b.days)))
  const costOn = (projects: readonly ProjectUsage[], day: string): number =>
    sumOf(projects.flatMap(({ days }) => days.filter(row => row.day === day))).cost_usd
  const named = ranked.slice(0, tones.length).map((project, index): Series<string> => {
    const isNameTaken = ranked.some(other => other !== project && other.name === project.name)
    return {
      title: isNameTaken ? `${project.name} (${project.id.slice(0, 8)})` : project.name,
      tone: tones[index] ?? 'soft',
      value: day => costOn([project], day),
    }
  })
  const rest = ranked.slice(tones.length)
  if (rest.length === 0) return named
  return [...named, { title: `${rest.length} others`, tone: 'soft', value: day => costOn(rest, day) }]
}
