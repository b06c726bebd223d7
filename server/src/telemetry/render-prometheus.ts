// Renders families in Prometheus's text format, version 0.0.4.
import type { Family, HistogramPoint, Point } from './registry.ts'

export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8'

export function renderPrometheus(families: readonly Family[]): string {
  let text = ''
  for (const family of families) {
    if (family.points.length === 0) continue
    const { name, help, kind } = family
    text += `# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}\n# TYPE ${name} ${kind}\n`
    if (family.kind === 'histogram') {
      for (const point of family.points) text += renderHistogram(name, family.bounds, point)
    } else {
      for (const { labels, value } of family.points) text += `${name}${renderLabels(labels)} ${renderNumber(value)}\n`
    }
  }
  return text
}

function renderHistogram(name: string, bounds: readonly number[], { labels, counts, sum }: HistogramPoint): string {
  let text = ''
  let below = 0
  counts.forEach((count, index) => {
    below += count
    const bound = bounds[index] ?? Number.POSITIVE_INFINITY
    text += `${name}_bucket${renderLabels([...labels, ['le', renderNumber(bound)]])} ${below}\n`
  })
  return `${text}${name}_sum${renderLabels(labels)} ${renderNumber(sum)}\n${name}_count${renderLabels(labels)} ${below}\n`
}

function renderLabels(labels: Point['labels']): string {
  if (labels.length === 0) return ''
  const escaped = (value: string) => value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
  return `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`
}

function renderNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
